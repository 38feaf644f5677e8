/** A Slack message as lines, for its preview: the blocks that are drawn from a card, and those of templates. */
import type { TemplateValue } from '../channel.ts';
import { type CardLine, type Run, type Runs, words } from '../lines.ts';
import { shownAs } from '../preview.ts';
import { isList, isObject, isUsableUrl, objectsAt, type SlackMessage, type SlackObject } from './message.ts';
import { stringAt, typeOf } from './message.ts';
import { unescapeMrkdwn } from './mrkdwn.ts';

export function linesOfSlack({ text, blocks = [] }: SlackMessage): readonly CardLine[] {
  return blocks.length === 0 ? linesOfMrkdwn(text) : blocks.flatMap(linesOf);
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
  ['header', ({ text }) => words(textIn(text), 'bold')],
  ['section', ({ text, fields, accessory }) => [text, fields, accessory].flatMap(linesOf)],
  ['mrkdwn', (object) => linesOfMrkdwn(stringAt(object, 'text'))],
  ['plain_text', (object) => words(stringAt(object, 'text'))],
  ['rich_text', ({ elements }) => linesOf(elements)],
  ['rich_text_preformatted', (part) => [{ code: textIn(part['elements']) }]],
  ['rich_text_list', linesOfList],
  ['table', ({ rows }) => [tableOf(isList(rows) ? rows : [])]],
]);

/** @param value a block, a part of one, or a list of these */
function linesOf(value: TemplateValue | undefined): readonly CardLine[] {
  if (isList(value)) return value.flatMap(linesOf);
  if (!isObject(value)) return [];
  const lines = LINES.get(typeOf(value));
  if (lines !== undefined) return lines(value);
  const runs = runsOf(value);
  return runs.length === 0 ? [] : [{ runs }];
}

function linesOfList(list: SlackObject): readonly CardLine[] {
  const items = objectsAt(list, 'elements').map(runsOf);
  if (stringAt(list, 'style') !== 'ordered') return [{ items }];
  return items.map((item, index) => ({ runs: [{ text: `${index + 1}. ` }, ...item] }));
}

/** The first row names the columns. */
function tableOf(rows: readonly TemplateValue[]): CardLine {
  const [names = [], ...others] = rows.map((row) => (isList(row) ? row.map(runsOf) : []));
  return { items: [], table: { names: names.map((cell) => textOf(cell)), rows: others } };
}

type Named = readonly [key: string, sign: string];

/** Parts that stand for a person, a group or a channel, by the member that names it. */
const CALLED: ReadonlyMap<string, Named> = new Map<string, Named>([
  ['user', ['user_id', '@']],
  ['usergroup', ['usergroup_id', '@']],
  ['channel', ['channel_id', '#']],
  ['broadcast', ['range', '@']],
]);

const STYLES = ['code', 'bold', 'italic', 'strike'] as const;

/** @param value a part of a line, or what holds such parts */
function runsOf(value: TemplateValue | undefined): Runs {
  if (isList(value)) return value.flatMap(runsOf);
  if (!isObject(value)) return [];
  const type = typeOf(value);
  const called = CALLED.get(type);
  if (called !== undefined) return [{ text: called[1] + stringAt(value, called[0]), style: 'mention' }];
  if (type === 'mrkdwn') return runsOfMrkdwn(stringAt(value, 'text'));
  if (type === 'emoji') return [{ text: `:${stringAt(value, 'name')}:` }];
  if (type === 'date') return [{ text: stringAt(value, 'fallback') }];
  if (type === 'image') return [linkTo(stringAt(value, 'image_url'), stringAt(value, 'alt_text'))];
  const { text, elements, style } = value;
  const url = stringAt(value, 'url');
  if (url !== '') return [linkTo(url, textIn(text) || url)];
  if (typeof text !== 'string') return [...runsOf(text), ...runsOf(elements)];
  return [{ text, style: STYLES.find((name) => isObject(style) && style[name] === true) }];
}

function textOf(runs: Runs): string {
  return runs.map(({ text }) => text).join('');
}

function textIn(value: TemplateValue | undefined): string {
  return typeof value === 'string' ? value : textOf(runsOf(value));
}

function linkTo(url: string, text: string): Run {
  return isUsableUrl(url) ? { text, url } : { text };
}

/** Slack, "Formatting message text": a mark does not open right after a letter or digit, nor close right before one. */
const MARKED =
  /`(?<code>[^`\n]+)`|<(?<control>[^<>\n]+)>|(?<![\p{L}\p{N}])(?<mark>[*_~])(?<marked>\S(?:[^\n]*?\S)?)\k<mark>(?![\p{L}\p{N}])/gu;

const MARKS: Readonly<Record<string, Run['style']>> = { '*': 'bold', _: 'italic', '~': 'strike' };

function linesOfMrkdwn(source: string): readonly CardLine[] {
  return source.split('```').flatMap((part, index): readonly CardLine[] => {
    const text = part.replace(/^\n|\n$/g, '');
    if (text === '') return [];
    return index % 2 === 1 ? [{ code: unescapeMrkdwn(text) }] : [{ runs: runsOfMrkdwn(text) }];
  });
}

function runsOfMrkdwn(source: string): Runs {
  const runs: Run[] = [];
  const add = (text: string, style?: Run['style']) => {
    if (text !== '') runs.push({ text: unescapeMrkdwn(text), style });
  };
  let end = 0;
  for (const { 0: whole, index, groups = {} } of source.matchAll(MARKED)) {
    const { code, control, mark = '', marked = '' } = groups;
    add(source.slice(end, index));
    if (control !== undefined) runs.push(runOfControl(unescapeMrkdwn(control)));
    else add(code ?? marked, code === undefined ? MARKS[mark] : 'code');
    end = index + whole.length;
  }
  add(source.slice(end));
  return runs;
}

/** `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`, `<!date^…^…|words>`, `<https://…|words>`. */
function runOfControl(control: string): Run {
  const [target = '', label = ''] = control.split(/\|(.*)/s);
  if (/^[@#]/.test(target))
    return { text: label === '' ? target : target.charAt(0) + label, style: 'mention' };
  if (target.startsWith('!date')) return { text: label };
  if (target.startsWith('!'))
    return { text: label || `@${target.replace(/^!(?:subteam\^)?/u, '')}`, style: 'mention' };
  return linkTo(target, label || target);
}
