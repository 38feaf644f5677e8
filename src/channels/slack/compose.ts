/** Draws a card as a Slack message: native rich text and tables, so that what is copied is what was sent. */
import { cleanLine, cleanText } from '../../text/clean.ts';
import { cutEnd, cutMiddle, cutterOf, UTF8_BYTES } from '../../text/cut.ts';
import { type Card, SYMBOLS } from '../card.ts';
import type { ComposeContext } from '../channel.ts';
import { cutMark, leftOutMark } from '../marks.ts';
import { type OutputLimits, roomsOf, type ShownOutput, showOutput } from '../outputs.ts';
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
const ROOM_OF_OUTPUTS = 2400;
const LEAST_OF_AN_OUTPUT = 100;
const MOST_OF_AN_OUTPUT = 1000;
const MAX_NAME = 40;
const MAX_FACT = 120;
const MOST_FACTS = 8;

const MOST_OUTPUTS = 15;
const MOST_ROWS = 10;

const WORDS = {
  en: { empty: 'empty', count: (n: string) => `  (${n})`, more: (n: string) => `… ${n} more outputs` },
  ja: { empty: 'なし', count: (n: string) => `（${n}件）`, more: (n: string) => `…ほか出力${n}件` },
} as const;

const NUMBERS = { en: new Intl.NumberFormat('en'), ja: new Intl.NumberFormat('ja') } as const;

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
  const shown = cutMiddle(cleanLine(title), MAX_TITLE, () => '…');
  text.line(words(`${SYMBOLS[tone]} ${shown}`, 'bold'));
}

function drawWords({ text: lines, language }: Card, text: RichText): void {
  if (lines !== '') text.line(words(cleanText(cutterOf(lines, MAX_WORDS, leftOutMark(language))(MAX_WORDS))));
}

/** Of an error and a remote's answer, every character counts; what else a BOT says is read. */
function drawMessage({ message, tone, language }: Card, text: RichText): void {
  const shown = cleanText(cutterOf(message, MAX_MESSAGE, leftOutMark(language))(MAX_MESSAGE));
  if (shown === '') return;
  if (tone === 'error' || tone === 'alert') text.preformatted(shown);
  else text.line(words(shown));
}

function drawOutputs({ outputs, outputCount, language }: Card, text: RichText): void {
  const shown = outputs.slice(0, MOST_OUTPUTS);
  const rooms = roomsOf(shown, ROOM_OF_OUTPUTS, LEAST_OF_AN_OUTPUT);
  for (const [index, output] of shown.entries()) {
    const room = Math.min(MOST_OF_AN_OUTPUT, rooms[index] ?? LEAST_OF_AN_OUTPUT);
    const limits: OutputLimits = { language, rows: MOST_ROWS, files: MOST_ROWS, room };
    drawOutput(showOutput(output, limits), language, text);
  }
  const more = outputCount - shown.length;
  if (more > 0) text.line(words(WORDS[language].more(NUMBERS[language].format(more)), 'italic'));
}

function drawOutput(output: ShownOutput, language: Language, text: RichText): void {
  const { table, lines, more, files, moreFiles } = output;
  text.line(
    words(
      cutMiddle(output.name, MAX_NAME, () => '…'),
      'bold',
    ),
    ...besideName(output, language),
  );
  if (table !== undefined) text.table(table.names, table.rows);
  if (lines.length > 0) text.list(lines.map(linked));
  text.line(words(more));
  for (const { name, size, url } of files)
    text.line(words('📎 '), link(name, url), words(size === '' ? '' : ` (${size})`));
  text.line(words(moreFiles));
}

function besideName({ text, isCode, count, files }: ShownOutput, language: Language): readonly Run[] {
  if (text !== '') return [words('  '), ...(isCode ? [words(text, 'code')] : linked(text))];
  if (count !== undefined) return [words(WORDS[language].count(NUMBERS[language].format(count)))];
  return files.length > 0 ? [] : [words('  '), words(WORDS[language].empty, 'italic')];
}

function drawLink({ link: target }: Card, text: RichText): void {
  if (target !== undefined)
    text.line(
      link(
        cutMiddle(target.text, MAX_FACT, () => '…'),
        target.url,
      ),
    );
}

function drawFacts({ facts, footer }: Card, text: RichText): void {
  const runs = facts.slice(0, MOST_FACTS).map(({ name, value, url }): Run => {
    const label = cutMiddle(cleanLine(name), MAX_NAME, () => '…');
    const shown = `${label}${label === '' ? '' : ' '}${cutMiddle(cleanText(value), MAX_FACT, () => '…')}`;
    return url === '' ? words(shown) : link(shown, url);
  });
  if (footer !== '') runs.push(words(cutEnd(cleanLine(footer), MAX_FACT, '…'), 'italic'));
  if (runs.length > 0)
    text.line(...runs.flatMap((run, index) => (index === 0 ? [run] : [words(' · '), run])));
}
