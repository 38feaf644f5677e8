/** The kinds of text in a Slack message: mrkdwn, Markdown, rich text in one piece, and text that nothing parses. */
import { cleanText } from '../../text/clean.ts';
import { CHARACTERS } from '../../text/unit.ts';
import { isUrl } from '../../text/whole-url.ts';
import { type AddressMarkup, type Markup, TEXT_FRAME } from '../markup.ts';
import {
  escapeCode,
  escapeMarkdown,
  escapeMarkdownCode,
  escapeMrkdwn,
  escapePlain,
  escapeUrlForMarkdown,
  escapeUrlForMrkdwn,
} from './escape.ts';
import { positionInMarkdown, positionInMrkdwn } from './position.ts';
import { markAddresses, markLink, markValue, withoutMarks } from './value-marks.ts';

/** A section holds 3,000 with the words around it. */
const LONGEST_VALUE = 2400;
const LONGEST_RICH_VALUE = 2000;

/** A longer address would take too much of a message, and is no link there. */
const LONGEST_RICH_LINK = 1000;

const BASICS = {
  longestValue: LONGEST_VALUE,
  unit: CHARACTERS,
  lineBreak: '\n',
  lists: 'lines',
  outputFrame: TEXT_FRAME,
} as const;

const MRKDWN_ADDRESSES: AddressMarkup = { escapeUrl: escapeUrlForMrkdwn, positionOf: positionInMrkdwn };

export const MRKDWN: Markup = {
  ...BASICS,
  // Look-alikes for formatting marks would lead an address elsewhere.
  escape: (text) => (isUrl(text) ? escapeUrlForMrkdwn(text) : escapeMrkdwn(text)),
  escapeCode,
  // A line end or a bar would end the words.
  linkTo: (words, address) => `<${escapeUrlForMrkdwn(address)}|${onOneLine(words).replaceAll('|', '¦')}>`,
  addresses: MRKDWN_ADDRESSES,
};

/** Slack's block of that name. */
export const MARKDOWN: Markup = {
  ...BASICS,
  escape: escapeMarkdown,
  escapeCode: escapeMarkdownCode,
  linkTo: (words, address) => `[${onOneLine(words)}](${escapeUrlForMarkdown(address)})`,
  addresses: { escapeUrl: escapeUrlForMarkdown, positionOf: positionInMarkdown },
};

/** A rich text in one piece, in which values are marked and taken as they are. */
export const RICH_TEXT: Markup = {
  ...BASICS,
  escape: (text) => markValue(cleanText(text)),
  escapeText: markAddresses,
  longestValue: LONGEST_RICH_VALUE,
  linkTo: (words, address) => (address.length > LONGEST_RICH_LINK ? words : markLink(address, words)),
  lists: 'rows',
  // What the template itself writes of a rich text is mrkdwn.
  addresses: MRKDWN_ADDRESSES,
  readableText: withoutMarks,
};

/** Text that nothing parses: an element of a rich text, a cell. */
export const LITERAL: Markup = { ...BASICS, escape: cleanText };

/** A plain_text: no parsing is documented, none is relied on. */
export const PLAIN_TEXT: Markup = { ...BASICS, escape: escapePlain };

/** Each run of white space is looked at once, whether or not a line ends in it. */
function onOneLine(words: string): string {
  return words.replace(/\s+/gu, (run) => (run.includes('\n') ? ' ' : run));
}
