/** Draws a card as a Slack message: native rich text and tables, so that what is copied is what was sent. */
import { cleanLine } from '../../text/clean.ts';
import { charactersWithin } from '../../text/cut.ts';
import { type Card, SYMBOLS } from '../card.ts';
import type { ComposeContext } from '../channel.ts';
import { countMark, cutMark, emptyMark } from '../marks.ts';
import type { ShownOutput } from '../outputs.ts';
import { type ShownCard, showCard } from '../show-card.ts';
import type { Language } from '../../time/display.ts';
import { mentionBlock, mentionsFor } from './mentions.ts';
import type { SlackMessage, SlackObject } from './message.ts';
import { cutMrkdwn, escapeMrkdwn } from './mrkdwn.ts';
import { link, linked, RichText, type Run, words } from './rich-text.ts';

/** Slack: chat.update refuses `text` past 4,000 bytes of UTF-8, chat.postMessage splits it past about 4,040 characters. */
const MAX_TEXT_BYTES = 3000;

/**
 * Characters of what may be long. Slack does not document how many a message holds (`msg_blocks_too_long`); refusals were
 * seen from about 9,600 on. Together, with the facts, 8,000.
 */
const ROOM = 6000;

type SlackContext = Pick<ComposeContext, 'options' | 'isError'>;

export function composeSlack(card: Card, context: SlackContext): SlackMessage {
  const { facts, ...body } = DRAWN;
  const shown = showCard(card, ROOM);
  const blocks = [...blocksOf(shown, card, Object.values(body)), ...blocksOf(shown, card, [facts])];
  return messageOf(summaryOf(card), blocks, card.language, context);
}

/** The line of a push notification, in mrkdwn. */
export function summaryOf({ tone, summary }: Card): string {
  return escapeMrkdwn(cleanLine(`${SYMBOLS[tone]} ${summary}`));
}

/** @param line mrkdwn, cut here */
export function messageOf(
  line: string,
  blocks: readonly SlackObject[],
  language: Language,
  context: SlackContext,
): SlackMessage {
  const mentions = mentionsFor(context);
  const mark = cutMark(language);
  const room = MAX_TEXT_BYTES - mentions.length - 1 - Buffer.byteLength(mark);
  const text = `${mentions} ${cutMrkdwn(line, charactersWithin(line, room), mark)}`.trim();
  if (blocks.length === 0) return { text };
  return { text, blocks: [...(mentions === '' ? [] : [mentionBlock(mentions)]), ...blocks] };
}

type Draw = (shown: ShownCard, text: RichText, card: Card) => void;

/** By the card's part, in the order of a message. */
const DRAWN = {
  title: ({ title }, text) => text.line(words(title, 'bold')),
  text: ({ text: lines }, text) => text.line(words(lines)),
  message: ({ message, isVerbatim }, text) =>
    isVerbatim ? text.preformatted(message) : text.line(words(message)),
  outputs: drawOutputs,
  link: ({ link: target }, text) => target && text.line(link(target.text, target.url)),
  facts: drawFacts,
} satisfies Record<string, Draw>;

function blocksOf(shown: ShownCard, card: Card, draws: readonly Draw[]): readonly SlackObject[] {
  const text = new RichText();
  for (const draw of draws) draw(shown, text, card);
  return text.end();
}

export const DRAWN_PARTS: readonly string[] = Object.keys(DRAWN);

/** What a template may place, by the card's part. */
export function drawCard(card: Card): Readonly<Record<string, readonly SlackObject[]>> {
  const shown = showCard(card, ROOM);
  return Object.fromEntries(
    Object.entries(DRAWN).map(([part, draw]) => [part, blocksOf(shown, card, [draw])]),
  );
}

function drawOutputs({ outputs, moreOutputs }: ShownCard, text: RichText, { language }: Card): void {
  // Slack: `only_one_table_allowed`.
  const first = outputs.find(({ table }) => table !== undefined);
  for (const output of outputs) drawOutput(output, language, text, output === first);
  text.line(words(moreOutputs, 'italic'));
}

function drawOutput(output: ShownOutput, language: Language, text: RichText, isTable: boolean): void {
  const { name, table, lines, more, files, moreFiles } = output;
  text.line(words(name, 'bold'), ...besideName(output, language));
  if (isTable && table !== undefined) text.table(table.names, table.rows);
  else text.list(lines.map(linked));
  text.line(words(more));
  for (const file of files)
    text.line(words('📎 '), link(file.name, file.url), words(file.size === '' ? '' : ` (${file.size})`));
  text.line(words(moreFiles));
}

function besideName({ text, isCode, count, files }: ShownOutput, language: Language): readonly Run[] {
  if (text !== '') return [words('  '), ...(isCode ? [words(text, 'code')] : linked(text))];
  if (count !== undefined) return [words(countMark(language, count))];
  return files.length > 0 ? [] : [words('  '), words(emptyMark(language), 'italic')];
}

function drawFacts({ facts, footer }: ShownCard, text: RichText): void {
  const runs = facts.map(({ name, value, url }): Run => {
    const shown = name === '' ? value : `${name} ${value}`;
    return url === '' ? words(shown) : link(shown, url);
  });
  if (footer !== '') runs.push(words(footer, 'italic'));
  text.line(...runs.flatMap((run, index) => (index === 0 ? [run] : [words(' · '), run])));
}
