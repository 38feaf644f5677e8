/** Foreign text made harmless where it lands: it is shown as it is and does nothing. */
import { cleanLine, cleanText } from './clean.ts';
import type { Landing } from './landing.ts';
import { markValue } from './value-marks.ts';

/** A value that is already escaped for where it lands. */
export class Escaped {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const HTML_ENTITIES: Readonly<Record<string, string>> = { ...ENTITIES, '"': '&quot;', "'": '&#39;' };

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

/** Nothing opens an address of this length, so that what is left out of it leads nowhere else. */
const LONGEST_URL_PART = 10_000;

const ESCAPES: Readonly<Record<Landing, (text: string) => string>> = {
  mrkdwn: (text) => escapeMrkdwn(cleanText(text)),
  markdown: (text) => escapeMarkdown(cleanText(text)),
  rich: (text) => markValue(cleanText(text)),
  literal: cleanText,
  plain: (text) => escapePlain(cleanText(text)),
  html: (text) => escapeHtml(cleanText(text)),
  text: cleanText,
  line: cleanLine,
  // An apostrophe would end a quoted attribute; encodeURIComponent leaves it.
  url: (text) => encodeURIComponent(text.slice(0, LONGEST_URL_PART).toWellFormed()).replaceAll("'", '%27'),
};

/** The function that cleans and escapes a foreign value for a landing. Never apply one to its own result. */
export function escapeFor(landing: Landing): (text: string) => string {
  return ESCAPES[landing];
}

/** A Slack control sequence: nothing documents that code in Markdown is never searched for them. */
const CONTROL_BRACKET = /<(?=[!@#])/g;

/** For the inside of a Markdown fence or span, where neither backslashes nor entities are read. */
export function escapeMarkdownCode(text: string): string {
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

/** Each kind of mark is looked for before anything is replaced: most texts hold one kind at most, a colon. */
function escapeMrkdwn(text: string): string {
  if (!MAY_LIVE_IN_MRKDWN.test(text)) return text;
  return breakMentions(breakEmoji(replaceMarks(escapeEntities(text))));
}

/** CommonMark, "Backslash escapes"; mentions and emoji are Slack's own, and its entities are Markdown's, too. */
const MARKDOWN_MARK = /[\\`*_{}[\]()|~!]/g;
/** Headings, lists, rules and underlined headings begin a line, or what may be one. */
const MARKDOWN_LINE_MARK = /^([ \t]*(?:\d+)?)([#+\-=.)])/gm;
/** GitHub's autolinks: what leads somewhere is what the template makes a link. */
const BARE_ADDRESS = /:(?=\/\/)|(?<=\bwww)\./gi;

function escapeMarkdown(text: string): string {
  if (!/[\\`*_{}[\]()|~!&<>#+\-=.:@]/.test(text)) return text;
  const inert = text
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
function escapePlain(text: string): string {
  const withoutBrackets = text.replaceAll('<', '‹').replaceAll('>', '›');
  return breakMentions(withoutBrackets.replace(ENTITY_AMPERSAND, `&${BREAK}`));
}

function escapeHtml(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character);
}

function breakMentions(text: string): string {
  return text.includes('@') ? text.replace(MENTION_AT, `@${BREAK}`) : text;
}
