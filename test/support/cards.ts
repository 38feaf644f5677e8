/** Cards, for tests that care about one or two of their parts. */
import type { Card, FileView, OutputView } from '../../src/channels/card.ts';
import { cleanLine } from '../../src/text/clean.ts';
import type { ComposeContext } from '../../src/channels/channel.ts';

export const CALM: ComposeContext = {
  options: {},
  isError: false,
  destination: 'chat:ops',
  template: 'error',
  at: 0,
  callback: undefined,
};

const named = <Named extends { name: string }>(each: Named) => ({ ...each, name: cleanLine(each.name) });

/** Texts of one line and names are cleaned, as in every card that a template fills. */
export function cardWith(parts: Partial<Card> = {}): Card {
  const { outputs = [] } = parts;
  const card: Card = {
    tone: 'error',
    language: 'en',
    title: 'Get items',
    summary: 'Get items failed after 42 s: no such element',
    text: 'Failed after 42 s\n',
    message: 'no such element',
    facts: [{ name: 'Job', value: 'job-1', url: 'https://jobs.test/1?a=b&c=d' }],
    outputs,
    outputCount: outputs.length,
    restUrl: '',
    link: undefined,
    footer: '',
    ...parts,
  };
  return {
    ...card,
    title: cleanLine(card.title),
    summary: cleanLine(card.summary),
    footer: cleanLine(card.footer),
    facts: card.facts.map(named),
    outputs: card.outputs.map((output) => ({ ...named(output), files: output.files.map(named) })),
    link: card.link && { ...card.link, text: cleanLine(card.link.text) },
  };
}

export function outputWith(parts: Partial<OutputView> = {}): OutputView {
  const { files = [] } = parts;
  return { name: 'Number', kind: 'scalar', value: 12, items: [], files, fileCount: files.length, ...parts };
}

export function fileWith(parts: Partial<FileView> = {}): FileView {
  return { name: 'a.pdf', size: 2048, timestamp: '', ref: 'ref', url: '', ...parts };
}

export function listOf(name: string, items: readonly unknown[]): OutputView {
  return outputWith({ name, kind: 'list', value: '', items });
}

export function filesOf(name: string, files: readonly FileView[], parts: Partial<OutputView> = {}) {
  return outputWith({ name, kind: 'files', value: '', files, ...parts });
}
