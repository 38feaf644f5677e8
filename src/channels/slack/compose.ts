/** Draws a card as a Slack message of native rich text and tables, so that copying gives the original text. */
import { isBlank } from '../../text/clean.ts';
import { charactersWithin } from '../../text/cut.ts';
import { drawnFormat } from '../chat/draw.ts';
import { type CardLine, markedFacts, plainText, type Runs, runsOfText, type ShownTable } from '../lines.ts';
import type { StyledText } from '../lines.ts';
import { CARD_PARTS } from '../show-card.ts';
import {
  cutMrkdwn,
  escapeMrkdwn,
  isUsableUrl,
  MRKDWN,
  slackMentions,
  type SlackMessage,
  type SlackObject,
} from './message.ts';
import { textLength } from './own-blocks.ts';

/** Slack: chat.update refuses `text` past 4,000 bytes of UTF-8, chat.postMessage splits it past about 4,040 characters. */
const MAX_TEXT_BYTES = 3000;

/** Characters of all blocks, addresses of links included: see `MAX_TOTAL`. */
const MOST_CHARACTERS = 8000;

export const drawnSlack = drawnFormat<SlackMessage>({
  name: 'slack',
  mentions: slackMentions,
  markup: MRKDWN,
  // Slack takes only one table in a message.
  tables: 1,
  parts: CARD_PARTS.map((part) => (part === 'title' ? 'heading' : part)),
  limit: {
    most: MOST_CHARACTERS,
    of: ({ text, blocks }) =>
      blocks === undefined
        ? (Buffer.byteLength(text) * MOST_CHARACTERS) / MAX_TEXT_BYTES
        : textLength(blocks),
  },
  message: ({ mentions, summary, lines }) => messageOf(escapeMrkdwn(summary), richText(lines), mentions),
  plain: ({ whole }) => ({ text: whole() }),
});

/** @param line mrkdwn of any length; it is cut here */
export function messageOf(
  line: string,
  blocks: readonly SlackObject[],
  mentions: readonly string[],
): SlackMessage {
  const called = mentions.join(' ');
  const room = MAX_TEXT_BYTES - Buffer.byteLength(`${called} …`);
  const text = `${called} ${cutMrkdwn(line, charactersWithin(line, room))}`.trim();
  if (blocks.length === 0) return { text };
  const mrkdwn: SlackObject = { type: 'mrkdwn', text: called, verbatim: true };
  return { text, blocks: [...(called === '' ? [] : [{ type: 'section', text: mrkdwn }]), ...blocks] };
}

/** Blocks of native rich text, whose text Slack does not parse: it needs no escaping and copies unchanged. */
function richText(lines: readonly CardLine[]): readonly SlackObject[] {
  const blocks: SlackObject[] = [];
  let elements: SlackObject[] = [];
  let section: SlackObject[] = [];
  const endSection = (next?: SlackObject) => {
    if (section.length > 0) elements.push({ type: 'rich_text_section', elements: section });
    if (next !== undefined) elements.push(next);
    section = [];
  };
  const endBlock = (next?: SlackObject) => {
    endSection();
    if (elements.length > 0) blocks.push({ type: 'rich_text', elements });
    if (next !== undefined) blocks.push(next);
    elements = [];
  };
  for (const line of lines) {
    const quiet = 'facts' in line ? contextOf(line.facts) : undefined;
    if (quiet !== undefined) endBlock(quiet);
    else if ('code' in line)
      endSection({ type: 'rich_text_preformatted', elements: runsOfText(line.code).map(runOf) });
    else if (!('items' in line)) {
      if (section.length > 0) section.push(BREAK);
      section.push(...runsOf(line));
    } else if (line.table === undefined) endSection(listOf(line.items));
    else endBlock(tableOf(line.table));
  }
  endBlock();
  return blocks;
}

/** Slack: Block Kit reference, context. */
const MAX_CONTEXT = 3000;

/** Text that mrkdwn would turn into markup, a mention, an emoji or a quotation, and so copy without its signs. */
const ACTS = /(?<![\p{L}\p{N}])[*_~`@#]|(?<!\d):[\p{L}\p{M}\p{N}_+'-]+:|\n/u;

/** The facts as the small grey text of a context block; undefined if this would change them, or is too small for them. */
function contextOf(facts: readonly Runs[]): SlackObject | undefined {
  const text = markedFacts(facts, MRKDWN);
  const acts = facts.some((runs) => runs.some((run) => ACTS.test(run.text)));
  if (acts || text.length > MAX_CONTEXT) return undefined;
  return { type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] };
}

type LineOfRuns = Exclude<CardLine, { readonly items: unknown } | { readonly code: unknown }>;

function runsOf(line: LineOfRuns): readonly SlackObject[] {
  if ('facts' in line)
    return line.facts.flatMap((fact, index) => [...(index === 0 ? [] : [words(' · ')]), ...fact.map(runOf)]);
  if (!('label' in line)) return line.runs.map(runOf);
  const label = words(line.label, 'bold');
  return line.runs.length === 0 ? [label] : [label, words('  '), ...line.runs.map(runOf)];
}

function runOf({ text, style, url = '' }: StyledText): SlackObject {
  if (!isUsableUrl(url)) return words(text, style);
  const link: SlackObject = text === '' || text === url ? { type: 'link', url } : { type: 'link', url, text };
  return style === 'bold' ? { style: { bold: true }, ...link } : link;
}

function words(text: string, style?: StyledText['style']): SlackObject {
  return style === undefined || style === 'word'
    ? { type: 'text', text }
    : { type: 'text', text, style: { [style]: true } };
}

const BREAK = words('\n');

/** Replaces an empty text, which Slack would refuse. */
const NOTHING = '–';

function sectionOf(runs: Runs): SlackObject {
  const isNothing = isBlank(plainText(runs));
  return { type: 'rich_text_section', elements: isNothing ? [words(NOTHING)] : runs.map(runOf) };
}

function listOf(items: readonly Runs[]): SlackObject {
  return { type: 'rich_text_list', style: 'bullet', elements: items.map(sectionOf) };
}

function tableOf({ names, rows }: ShownTable): SlackObject {
  const head = names.map((text) => [{ text }]);
  return { type: 'table', rows: [head, ...rows].map((row) => row.map(cellOf)) };
}

/** The simplest cell that holds the text. */
function cellOf(runs: Runs): SlackObject {
  const text = plainText(runs);
  if (isBlank(text)) return { type: 'raw_text', text: NOTHING };
  if (runs.every(({ url = '' }) => url === '')) return { type: 'raw_text', text };
  return { type: 'rich_text', elements: [sectionOf(runs)] };
}
