/** A Slack message as lines, for its preview: the blocks that are drawn from a card, and those of templates. */
import type { TemplateValue } from '../channel.ts';
import { type CardLine, plainText, type StyledText, type Runs, words } from '../lines.ts';
import { shownAs } from '../preview.ts';
import {
  isList,
  isObject,
  isUsableUrl,
  type SlackMessage,
  type SlackObject,
  stringAt,
  typeOf,
} from './message.ts';
import { unescapeMrkdwn } from './mrkdwn.ts';

export function linesOfSlack({ text, blocks = [] }: SlackMessage): readonly CardLine[] {
  return blocks.length === 0 ? lineOf(runsOfMrkdwn(text)) : blocks.flatMap(linesOf);
}

/** The message for a terminal. */
export function slackAsText(message: {
  readonly text: string;
  readonly blocks?: readonly unknown[];
}): string {
  return shownAs(() => ({ lines: linesOfSlack(message as SlackMessage) })).asText();
}

type Lines = (object: SlackObject) => readonly CardLine[];

/** Blocks and parts of rich text that are no line of runs. */
const LINES: ReadonlyMap<string, Lines> = new Map<string, Lines>([
  ['divider', () => words('─'.repeat(24))],
  ['header', ({ text }) => words(plainText(runsOf(text)), 'bold')],
  ['section', ({ text, fields, accessory }) => [text, fields, accessory].flatMap(linesOf)],
  ['context', ({ elements }) => (isList(elements) ? [{ facts: elements.map(runsOf) }] : [])],
  ['rich_text', ({ elements }) => linesOf(elements)],
  ['rich_text_preformatted', ({ elements }) => [{ code: plainText(runsOf(elements)) }]],
  ['rich_text_list', linesOfList],
  ['table', ({ rows }) => [tableOf(isList(rows) ? rows : [])]],
]);

/** @param value a block, a part of one, or a list of these */
function linesOf(value: TemplateValue | undefined): readonly CardLine[] {
  if (isList(value)) return value.flatMap(linesOf);
  if (!isObject(value)) return [];
  return LINES.get(typeOf(value))?.(value) ?? lineOf(runsOf(value));
}

function lineOf(runs: Runs): readonly CardLine[] {
  return runs.length === 0 ? [] : [{ runs }];
}

function linesOfList(list: SlackObject): readonly CardLine[] {
  const items = isList(list['elements']) ? list['elements'].map(runsOf) : [];
  if (stringAt(list, 'style') !== 'ordered') return [{ items }];
  return items.map((item, index) => ({ runs: [{ text: `${index + 1}. ` }, ...item] }));
}

/** The first row names the columns. */
function tableOf(rows: readonly TemplateValue[]): CardLine {
  const [names = [], ...others] = rows.map((row) => (isList(row) ? row.map(runsOf) : []));
  return { items: [], table: { names: names.map(plainText), rows: others } };
}

/** Signs around the names of persons, groups, channels and emoji, by the member that holds the name. */
const NAMED = { user_id: '@…', usergroup_id: '@…', channel_id: '#…', range: '@…', name: ':…:' } as const;

const STYLES = ['code', 'bold', 'italic', 'strike'] as const;

/** @param value a part of a line, or what holds such parts */
function runsOf(value: TemplateValue | undefined): Runs {
  if (isList(value)) return value.flatMap(runsOf);
  if (!isObject(value)) return [];
  if (typeOf(value) === 'mrkdwn') return runsOfMrkdwn(stringAt(value, 'text'));
  const named = Object.entries(NAMED).find(([key]) => key in value);
  if (named !== undefined)
    return [{ text: named[1].replace('…', () => stringAt(value, named[0])), style: 'mention' }];
  const { text = value['alt_text'] ?? value['fallback'], elements, style, url = value['image_url'] } = value;
  const runs = typeof text === 'string' ? [{ text }] : [...runsOf(text), ...runsOf(elements)];
  const styleOf = STYLES.find((name) => isObject(style) && style[name] === true);
  const shown = typeof url === 'string' ? [linkTo(url, plainText(runs) || url)] : runs;
  return styleOf === undefined ? shown : shown.map((run) => ({ ...run, style: styleOf }));
}

function linkTo(url: string, text: string): StyledText {
  return isUsableUrl(url) ? { text, url } : { text };
}

/** Links and mentions; other marks are shown as a template writes them. */
function runsOfMrkdwn(source: string): Runs {
  const parts = source.split(/<([^<>\n]+)>/).map(unescapeMrkdwn);
  const runs = parts.map((part, index) => (index % 2 === 0 ? { text: part } : runOfControl(part)));
  return runs.filter(({ text }) => text !== '');
}

/** `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`, `<https://…|words>`. */
function runOfControl(control: string): StyledText {
  const [target = '', label = ''] = control.split(/\|(.*)/s);
  if (!/^[@#!]/.test(target)) return linkTo(target, label || target);
  return { text: label || target.replace(/^!(?:subteam\^)?/u, '@'), style: 'mention' };
}
