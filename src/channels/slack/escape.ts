/** Foreign text made harmless in Slack's own markups: it is shown as it is and does nothing. */
import { cleanText } from '../../text/clean.ts';

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

export function escapeUrlForMrkdwn(url: string): string {
  const inert = url.toWellFormed().replace(LIVE_IN_MRKDWN, percentEncode);
  return inert.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** CommonMark, "Links": what would end the address or be read as an entity or an escape, percent-encoded. */
export function escapeUrlForMarkdown(url: string): string {
  return url.toWellFormed().replace(/[\\`*_~|()[\]<>@]|&(?=\w+;)/gu, percentEncode);
}

function percentEncode(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}
