/** Cards, for tests that care about one or two of their parts. */
import type { Card, FileView, OutputView } from '../../src/channels/card.ts';
import type { ComposeContext } from '../../src/channels/channel.ts';

/** It mentions nobody. */
export const CALM: ComposeContext = {
  options: {},
  isError: false,
  destination: 'chat:ops',
  template: 'error',
  at: 0,
  callback: undefined,
};

export function cardWith(parts: Partial<Card> = {}): Card {
  const { outputs = [] } = parts;
  return {
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
}

export function outputWith(parts: Partial<OutputView> = {}): OutputView {
  const { files = [] } = parts;
  return { name: 'Number', kind: 'scalar', value: 12, items: [], files, fileCount: files.length, ...parts };
}

export function fileWith(parts: Partial<FileView> = {}): FileView {
  return { name: 'a.pdf', size: 2048, timestamp: '', ref: 'ref', url: '', ...parts };
}
