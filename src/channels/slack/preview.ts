/** The readable text of a Slack message's blocks, as lines. Block Kit Builder shows how Slack draws a template's own blocks. */
import { isList, type TemplateValue } from '../channel.ts';
import { type CardLine, plainText, type Runs } from '../lines.ts';
import { shownAs } from '../preview.ts';
import { isObject, isUsableUrl, type SlackMessage, stringAt, typeOf, unescapeMrkdwn } from './message.ts';

export function linesOfSlack({ text, blocks = [] }: SlackMessage): readonly CardLine[] {
  if (blocks.length === 0) return [{ runs: runsOfMrkdwn(text) }];
  return blocks.flatMap(linesIn);
}

export function slackAsText(message: {
  readonly text: string;
  readonly blocks?: readonly unknown[];
}): string {
  return shownAs(() => ({ lines: linesOfSlack(message as SlackMessage) })).asText();
}

/** Types whose elements stand on one line. */
const ONE_LINE = /^(?:rich_text_(?:section|preformatted|quote)|context)$/;

/** @param value a block, a part of one, or a list of these */
function linesIn(value: TemplateValue | undefined): readonly CardLine[] {
  if (isList(value)) return value.flatMap(linesIn);
  if (!isObject(value)) return [];
  const { type, elements, rows, text = value['alt_text'], url = value['image_url'] } = value;
  if (ONE_LINE.test(typeOf(value))) return [{ runs: runsIn(elements) }];
  if (type === 'rich_text_list' && isList(elements)) return [{ items: elements.map(runsIn) }];
  if (isList(rows)) {
    const [names = [], ...others] = rows.map((row) => (isList(row) ? row.map(runsIn) : []));
    return [{ items: [], table: { names: names.map(plainText), rows: others } }];
  }
  if (typeof text === 'string' || url !== undefined) return [{ runs: runsIn(value) }];
  return Object.values(value).flatMap(linesIn);
}

/** Members that name a person, a group, a channel or an emoji. */
const NAME = /^(?:(?:user|usergroup|channel)_id|range|name)$/;

function runsIn(value: TemplateValue | undefined): Runs {
  if (isList(value)) return value.flatMap(runsIn);
  if (!isObject(value)) return [];
  const { text = value['alt_text'], url = value['image_url'] } = value;
  if (typeOf(value) === 'mrkdwn') return runsOfMrkdwn(stringAt(value, 'text'));
  if (typeof text !== 'string' && typeof url !== 'string')
    return Object.entries(value).flatMap(([key, inner]) =>
      NAME.test(key) ? [{ text: stringAt(value, key), style: 'mention' as const }] : runsIn(inner),
    );
  const said = typeof text === 'string' ? text : plainText(runsIn(text));
  return typeof url === 'string' && isUsableUrl(url) ? [{ text: said || url, url }] : [{ text: said }];
}

/** Links and mentions; other marks are shown as a template writes them. */
function runsOfMrkdwn(source: string): Runs {
  const parts = source.split(/<([^<>\n]+)>/).map(unescapeMrkdwn);
  return parts.map((part, index) => {
    if (index % 2 === 0) return { text: part };
    const [target = '', label = ''] = part.split(/\|(.*)/s);
    const text = label || target.replace(/^!(?:subteam\^)?/u, '@');
    if (/^[@#!]/.test(target)) return { text, style: 'mention' };
    return isUsableUrl(target) ? { text, url: target } : { text };
  });
}
