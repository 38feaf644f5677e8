/** What can be read of a Slack message; how Slack draws a template's own blocks, Block Kit Builder shows. */
import type { TemplateValue } from '../channel.ts';
import { type CardLine, runsOfText } from '../lines.ts';
import { shownAs } from '../preview.ts';
import {
  isList,
  isObject,
  type SlackMessage,
  type SlackObject,
  stringAt,
  typeOf,
  unescapeMrkdwn,
} from './message.ts';

export function linesOfSlack({ text, blocks }: SlackMessage): readonly CardLine[] {
  const lines = blocks === undefined ? [wordsOf(text)] : linesIn(blocks);
  return lines.map((line) => ({ runs: runsOfText(line) }));
}

export function slackAsText(message: {
  readonly text: string;
  readonly blocks?: readonly unknown[];
}): string {
  return shownAs(() => ({ lines: linesOfSlack(message as SlackMessage) })).asText();
}

/** Whose elements stand on one line. */
const ONE_LINE = /^(?:rich_text_(?:section|preformatted|quote)|context)$/;

/** Members that name a person, a group, a channel or an emoji. */
const NAME = /^(?:(?:user|usergroup|channel)_id|range|name)$/;

/** @param value a block, a part of one, or a list of these */
function linesIn(value: TemplateValue | undefined): readonly string[] {
  if (isList(value)) return value.flatMap(linesIn);
  if (!isObject(value)) return [];
  const { elements, rows } = value;
  const type = typeOf(value);
  if (type === 'rich_text_list') return linesIn(elements).map((item) => `• ${item}`);
  if (isList(rows)) return rows.map((row) => linesIn(row).join(' | '));
  if (ONE_LINE.test(type)) return [linesIn(elements).join('')];
  if (type === 'mrkdwn') return [wordsOf(stringAt(value, 'text'))];
  const isLeaf = LEAF.some((key) => typeof value[key] === 'string');
  if (isLeaf) return [leafIn(value)];
  return Object.entries(value).flatMap(([key, inner]) =>
    NAME.test(key) ? [stringAt(value, key)] : linesIn(inner),
  );
}

const LEAF = ['text', 'alt_text', 'url', 'image_url'];

/** Words, or what leads to an address. */
function leafIn({ text, alt_text: words = text, url, image_url: address = url }: SlackObject): string {
  const said = typeof words === 'string' ? words : linesIn(words).join('');
  return typeof address === 'string' && address !== said ? `${said} (${address})`.trim() : said;
}

/** Links and mentions as they are read; other marks are shown as a template writes them. */
function wordsOf(mrkdwn: string): string {
  const read = mrkdwn
    .replace(/<!(?:subteam\^)?([^<>|\n]+)[^<>\n]*>/g, '@$1')
    .replace(/<([^<>|\n]+)\|([^<>\n]+)>/g, '$2 ($1)');
  return unescapeMrkdwn(read.replace(/<([^<>\n]+)>/g, '$1'));
}
