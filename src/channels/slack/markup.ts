/**
 * The kinds of text in a Slack message: mrkdwn, Markdown, rich text in one piece, and text that nothing parses. Each shows a
 * foreign value as it is, so that it does nothing.
 */
import { cleanText, isUrl, splitAddresses } from '../../text/clean.ts';
import { CHARACTERS } from '../../text/cut.ts';
import {
  type AddressMarkup,
  type Markup,
  positionInAddress,
  TEXT_FRAME,
  type ValuePosition,
  withoutLiquid,
} from '../markup.ts';

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

/**
 * Marks in a rich text whose markup is still to be read: what stands between them is a value, and is taken as it is.
 * They are noncharacters, which cleaning takes out of every value, so that no value can hold one.
 */
export const VALUE_START = '\ufdd0';
const VALUE_END = '\ufdd1';
/** A link: its address, then its words, which may hold values; without words it shows its address. */
export const LINK_START = '\ufdd2';
const LINK_WORDS = '\ufdd3';
export const LINK_END = '\ufdd4';

const MARKS = /\ufdd2[^\ufdd2\ufdd3]*\ufdd3|[\ufdd0-\ufdd4]/gu;
const LINK_WITHOUT_WORDS = /\ufdd2([^\ufdd2\ufdd3]*)\ufdd3\ufdd4/gu;

/** @param text cleaned */
export function markValue(text: string): string {
  return text === '' ? '' : VALUE_START + text + VALUE_END;
}

/** @param words marked where they are values; '' shows the address */
export function markLink(address: string, words: string): string {
  return LINK_START + address + LINK_WORDS + words + LINK_END;
}

/** A foreign text as a value in which each address is a link that shows it. */
export function markAddresses(text: string): string {
  const cleaned = cleanText(text);
  if (!cleaned.includes('://')) return markValue(cleaned);
  return splitAddresses(cleaned)
    .map((piece) => {
      if (piece.address === undefined) return markValue(piece.text);
      return markLink(piece.address, piece.address === piece.text ? '' : markValue(piece.text));
    })
    .join('');
}

/** What a reader would see of a marked text. */
function withoutMarks(text: string): string {
  if (!text.includes(VALUE_END) && !text.includes(LINK_START)) return text;
  return text.replace(LINK_WITHOUT_WORDS, '$1').replace(MARKS, '');
}

export function positionInMrkdwn(source: string, offset: number): ValuePosition {
  const opened = /<([^<>|]*)$/.exec(withoutLiquid(source.slice(0, offset)))?.[1];
  // Slack: "Formatting text": `<address|words>`, `<@user>`, `<#channel>`, `<!special>`; a bracket before a space is a bracket.
  if (opened === undefined || /^\s/.test(opened)) return 'content';
  if (!withoutLiquid(source.slice(offset)).includes('>')) return 'content';
  return positionInAddress(opened);
}

/** CommonMark, "Links", "Link reference definitions" and "Autolinks"; Slack's own brackets as in mrkdwn. */
function positionInMarkdown(source: string, offset: number): ValuePosition {
  const before = withoutLiquid(source.slice(0, offset));
  const [, inline, definition] =
    /\]\(\s*<?([^\s()<>]*)$|^ {0,3}\[[^\]]+\]:\s*<?([^\s<>]*)$/m.exec(before) ?? [];
  const begun = inline ?? definition;
  return begun === undefined ? positionInMrkdwn(source, offset) : positionInAddress(begun);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Slack has no escape for its formatting marks: look-alikes stand in for them. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { '`': 'ˋ', '*': '∗', _: 'ˍ', '~': '∼' };

/** Word joiner: invisible and without width, it keeps `@here` and `:name:` from being recognised. */
const BREAK = '\u2060';

const MAY_LIVE_IN_MRKDWN = /[&<>`*_~:@]/;
/** Between two word characters Slack reads no formatting, and names such as `order_no` stay copyable. */
const LIVE_MARK = /`|(?<![\p{L}\p{N}])[*_~]|[*_~](?![\p{L}\p{N}])/gu;
/** A name without a letter, but for these two, is rather a time of day. */
const EMOJI_COLON = /:(?=(?:[0-9_+'-]*[a-z][a-z0-9_+'-]*|[-+]1):)/g;
const MENTION_AT = /@(?=here|channel|everyone)/gi;
const ENTITY_AMPERSAND = /&(?=(?:amp|lt|gt);)/g;

/** A Slack control sequence: nothing documents that code in Markdown is never searched for them. */
const CONTROL_BRACKET = /<(?=[!@#])/g;

/** For the inside of a Markdown fence or span, where neither backslashes nor entities are read. */
function escapeMarkdownCode(text: string): string {
  return breakMentions(cleanText(text).replaceAll('`', 'ˋ').replace(CONTROL_BRACKET, `<${BREAK}`));
}

/**
 * For the inside of a Slack ``` fence or, when given one line, of a `span`. Formatting marks and emoji codes are inert
 * there and stay copyable; mentions are broken all the same, since nothing documents that code is never searched for them.
 */
export function escapeCode(text: string): string {
  return breakMentions(escapeEntities(cleanText(text)).replaceAll('`', 'ˋ'));
}

/** Slack: "Escaping text": exactly these three. */
function escapeEntities(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

export function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Each kind of mark is looked for before anything is replaced: most texts hold one kind at most, a colon. */
export function escapeMrkdwn(text: string): string {
  const cleaned = cleanText(text);
  if (!MAY_LIVE_IN_MRKDWN.test(cleaned)) return cleaned;
  return breakMentions(breakEmoji(replaceMarks(escapeEntities(cleaned))));
}

/** CommonMark, "Backslash escapes"; mentions and emoji are Slack's own, and its entities are Markdown's, too. */
const MARKDOWN_MARK = /[\\`*_{}[\]()|~!]/g;
/** Headings, lists, rules and underlined headings begin a line, or what may be one. */
const MARKDOWN_LINE_MARK = /^([ \t]*(?:\d+)?)([#+\-=.)])/gm;
/** GitHub's autolinks: what leads somewhere is what the template makes a link. */
const BARE_ADDRESS = /:(?=\/\/)|(?<=\bwww)\./gi;

export function escapeMarkdown(text: string): string {
  const cleaned = cleanText(text);
  if (!/[\\`*_{}[\]()|~!&<>#+\-=.:@]/.test(cleaned)) return cleaned;
  const inert = cleaned
    .replace(MARKDOWN_MARK, '\\$&')
    .replace(MARKDOWN_LINE_MARK, '$1\\$2')
    .replace(BARE_ADDRESS, '\\$&');
  return breakMentions(breakEmoji(escapeEntities(inert)));
}

function replaceMarks(text: string): string {
  return /[`*_~]/.test(text) ? text.replace(LIVE_MARK, (mark) => LOOK_ALIKES[mark] ?? mark) : text;
}

function breakEmoji(text: string): string {
  return text.includes(':') ? text.replace(EMOJI_COLON, `:${BREAK}`) : text;
}

/** Whether Slack decodes entities in plain text is not documented, so the result holds neither brackets nor entities. */
export function escapePlain(text: string): string {
  const withoutBrackets = cleanText(text).replaceAll('<', '‹').replaceAll('>', '›');
  return breakMentions(withoutBrackets.replace(ENTITY_AMPERSAND, `&${BREAK}`));
}

function breakMentions(text: string): string {
  return text.includes('@') ? text.replace(MENTION_AT, `@${BREAK}`) : text;
}

/** What would format, mention or end a link in mrkdwn, percent-encoded: the address stays the same. */
const LIVE_IN_MRKDWN = /[`|]|(?<![\p{L}\p{N}])[*_~]|[*_~](?![\p{L}\p{N}])|@(?=here|channel|everyone)/giu;

function escapeUrlForMrkdwn(url: string): string {
  const inert = url.toWellFormed().replace(LIVE_IN_MRKDWN, percentEncode);
  return inert.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** CommonMark, "Links": what would end the address or be read as an entity or an escape, percent-encoded. */
function escapeUrlForMarkdown(url: string): string {
  return url.toWellFormed().replace(/[\\`*_~|()[\]<>@]|&(?=\w+;)/gu, percentEncode);
}

function percentEncode(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}
