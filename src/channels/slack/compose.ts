/** Draws a card as a Slack message: native rich text and tables, so that what is copied is what was sent. */
import { cleanLine, cleanText } from '../../text/clean.ts';
import { cutEnd, cutMiddle, UTF8_BYTES } from '../../text/cut.ts';
import { type Card, SYMBOLS } from '../card.ts';
import type { ComposeContext } from '../channel.ts';
import { countMark, cutMark, emptyMark } from '../marks.ts';
import { type OutputLimits, type ShownOutput, showOutputs, textWithin } from '../outputs.ts';
import type { Language } from '../../time/display.ts';
import { joinedMentions, mentionBlock } from './mentions.ts';
import type { SlackMessage, SlackObject } from './message.ts';
import { cutMrkdwn, escapeMrkdwn } from './mrkdwn.ts';
import { link, linked, RichText, type Run, words } from './rich-text.ts';

/** Slack: chat.update refuses `text` past 4,000 bytes of UTF-8, chat.postMessage splits it past about 4,040 characters. */
const MAX_TEXT_BYTES = 3000;

/**
 * Characters. Slack does not document how many a message holds (`msg_blocks_too_long`); refusals were seen from about
 * 9,600 on. Together, with the facts, 8,000.
 */
const MAX_TITLE = 130;
const MAX_WORDS = 1200;
const MAX_MESSAGE = 2300;
const MAX_NAME = 40;
const MAX_FACT = 120;
const MOST_FACTS = 8;

const OUTPUTS: OutputLimits = { outputs: 15, rows: 10, files: 10, room: 2400, least: 100, most: 1000 };

type SlackContext = Pick<ComposeContext, 'options' | 'isError'>;

export function composeSlack(card: Card, context: SlackContext): SlackMessage {
  return messageOf(summaryOf(card), blocksOf(card), card.language, context);
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
  { isError, options }: SlackContext,
): SlackMessage {
  const mentions = isError ? joinedMentions(options['mention_on_error']) : '';
  const room = MAX_TEXT_BYTES - mentions.length - 1;
  const text = `${mentions} ${cutMrkdwn(line, room, cutMark(language), UTF8_BYTES)}`.trim();
  if (blocks.length === 0) return { text };
  return { text, blocks: [...(mentions === '' ? [] : [mentionBlock(mentions)]), ...blocks] };
}

/** What a template may place, by the card's part. */
export function drawCard(card: Card): Readonly<Record<string, readonly SlackObject[]>> {
  const drawn = (draw: (card: Card, text: RichText) => void) => {
    const text = new RichText();
    draw(card, text);
    return text.end();
  };
  return {
    title: drawn(drawTitle),
    text: drawn(drawWords),
    message: drawn(drawMessage),
    outputs: drawn(drawOutputs),
    link: drawn(drawLink),
    facts: drawn(drawFacts),
  };
}

function blocksOf(card: Card): readonly SlackObject[] {
  const body = new RichText();
  for (const draw of [drawTitle, drawWords, drawMessage, drawOutputs, drawLink]) draw(card, body);
  const facts = new RichText();
  drawFacts(card, facts);
  return [...body.end(), ...facts.end()];
}

function drawTitle({ tone, title }: Card, text: RichText): void {
  text.line(words(`${SYMBOLS[tone]} ${short(cleanLine(title), MAX_TITLE)}`, 'bold'));
}

function drawWords({ text: lines, language }: Card, text: RichText): void {
  text.line(words(textWithin(lines, { room: MAX_WORDS, language })));
}

/** Of an error and a remote's answer, every character counts; what else a BOT says is read. */
function drawMessage({ message, tone, language }: Card, text: RichText): void {
  const shown = textWithin(message, { room: MAX_MESSAGE, language });
  if (shown !== '' && (tone === 'error' || tone === 'alert')) text.preformatted(shown);
  else text.line(words(shown));
}

function drawOutputs(card: Card, text: RichText): void {
  const { shown, more } = showOutputs(card, OUTPUTS);
  for (const output of shown) drawOutput(output, card.language, text);
  text.line(words(more, 'italic'));
}

function drawOutput(output: ShownOutput, language: Language, text: RichText): void {
  const { name, table, lines, more, files, moreFiles } = output;
  text.line(words(short(name, MAX_NAME), 'bold'), ...besideName(output, language));
  if (table !== undefined) text.table(table.names, table.rows);
  if (lines.length > 0) text.list(lines.map(linked));
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

function drawLink({ link: target }: Card, text: RichText): void {
  if (target !== undefined) text.line(link(short(target.text, MAX_FACT), target.url));
}

function drawFacts({ facts, footer }: Card, text: RichText): void {
  const runs = facts.slice(0, MOST_FACTS).map(({ name, value, url }): Run => {
    const shown = `${short(cleanLine(name), MAX_NAME)} ${short(cleanText(value), MAX_FACT)}`.trim();
    return url === '' ? words(shown) : link(shown, url);
  });
  if (footer !== '') runs.push(words(cutEnd(cleanLine(footer), MAX_FACT, '…'), 'italic'));
  text.line(...runs.flatMap((run, index) => (index === 0 ? [run] : [words(' · '), run])));
}

function short(text: string, most: number): string {
  return cutMiddle(text, most, () => '…');
}
