/** A Slack message as HTML that resembles Slack's display, has its own styles and loads nothing. */
import { escapeHtml } from '../../text/clean.ts';
import type { TemplateValue } from '../channel.ts';
import { isList, isObject, isUsableUrl, objectsAt, type SlackMessage, type SlackObject } from './message.ts';
import { stringAt, typeOf } from './message.ts';
import { unescapeMrkdwn } from './mrkdwn.ts';

/** Slack's own colours; the half-transparent ones work on light and dark backgrounds. */
const STYLE = `<style>
body { margin: 16px; background: #fff; color: #1d1c1d }
.slack { font: 15px/1.467 Lato, 'Noto Sans JP', 'Hiragino Sans', system-ui, sans-serif; max-width: 640px; overflow-wrap: anywhere }
.slack h3 { font-size: 18px; font-weight: 900; margin: 8px 0 }
.slack .row { font-size: 13px; opacity: .75; margin: 8px 0 }
.slack hr { border: 0; border-top: 1px solid rgba(128,128,128,.35); margin: 16px 0 }
.slack .button { padding: 4px 12px; border: 1px solid rgba(128,128,128,.5); border-radius: 8px; font-weight: 700; color: inherit; text-decoration: none }
.slack pre, .slack code { padding: 2px 4px; border: 1px solid rgba(128,128,128,.35); border-radius: 4px; background: rgba(128,128,128,.1); font: 12px/1.5 Menlo, Consolas, monospace }
.slack pre { margin: 4px 0; padding: 8px; white-space: pre-wrap }
.slack blockquote { margin: 4px 0; padding-left: 12px; border-left: 4px solid rgba(128,128,128,.4) }
.slack .mention { padding: 0 3px; border-radius: 3px; background: rgba(242,199,68,.35); font-weight: 700 }
.slack ul, .slack ol { margin: 4px 0; padding-left: 24px }
.slack table { margin: 8px 0; border-collapse: collapse }
.slack th, .slack td { padding: 4px 12px; border: 1px solid rgba(128,128,128,.35); text-align: left; vertical-align: top; font-size: 14px }
.slack a { color: #1264a3 }
@media (prefers-color-scheme: dark) {
  body { background: #1a1d21; color: #d1d2d3 }
  .slack a:not(.button) { color: #1d9bd1 }
}
</style>`;

export function slackAsHtml({ text, blocks = [] }: SlackMessage): string {
  const shown = blocks.length === 0 ? [tagged('div', mrkdwnAsHtml(text))] : blocks.map(htmlOf);
  return `${STYLE}\n<div class="slack">\n${shown.join('\n')}\n</div>`;
}

/** @param value a block, an element, a run, or a list of these */
function htmlOf(value: TemplateValue | undefined): string {
  if (typeof value === 'string') return textAsHtml(value);
  if (isList(value)) return value.map(htmlOf).join('');
  if (!isObject(value)) return '';
  return (BY_TYPE.get(typeOf(value)) ?? inside)(value);
}

function inside({ text, elements }: SlackObject): string {
  return htmlOf(text) + htmlOf(elements);
}

function sectionAsHtml({ text, fields, accessory }: SlackObject): string {
  const parts = [text, ...(isList(fields) ? fields : []), accessory];
  return parts.map((part) => tagged('div', htmlOf(part))).join('');
}

type Draw = (object: SlackObject) => string;

const within =
  (tag: string, kind = ''): Draw =>
  (object) =>
    tagged(tag, inside(object), kind);

/** Draws a mention, or a reference to a channel, from the member that names its target. */
const called =
  (key: string, sign: string): Draw =>
  (object) =>
    mention(sign + stringAt(object, key));

const BY_TYPE: ReadonlyMap<string, Draw> = new Map<string, Draw>([
  ['divider', () => '<hr>'],
  ['header', within('h3')],
  ['section', sectionAsHtml],
  ['context', within('div', 'row')],
  ['actions', within('div', 'row')],
  ['image', (image) => linkTo(stringAt(image, 'image_url'), htmlOf(image['alt_text']), 'button')],
  ['button', (button) => linkTo(stringAt(button, 'url'), inside(button), 'button')],
  ['mrkdwn', (object) => mrkdwnAsHtml(stringAt(object, 'text'))],
  ['table', tableAsHtml],
  ['rich_text_section', within('div')],
  ['rich_text_preformatted', (object) => tagged('pre', inside(object).replaceAll('<br>', '\n'))],
  ['rich_text_quote', within('blockquote')],
  ['rich_text_list', listAsHtml],
  ['text', runAsHtml],
  ['link', (run) => linkTo(stringAt(run, 'url'), htmlOf(run['text'] || run['url']))],
  ['user', called('user_id', '@')],
  ['usergroup', called('usergroup_id', '@')],
  ['channel', called('channel_id', '#')],
  ['broadcast', called('range', '@')],
  ['emoji', (run) => `:${textAsHtml(stringAt(run, 'name'))}:`],
  ['date', (run) => textAsHtml(stringAt(run, 'fallback'))],
]);

function tagged(tag: string, html: string, kind = ''): string {
  const look = kind === '' ? '' : ` class="${kind}"`;
  return html === '' ? '' : `<${tag}${look}>${html}</${tag}>`;
}

function textAsHtml(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}

function linkTo(url: string, html: string, kind = ''): string {
  if (!isUsableUrl(url)) return tagged('span', html, kind);
  const look = kind === '' ? '' : ` class="${kind}"`;
  return `<a${look} href="${escapeHtml(url)}" rel="noreferrer">${html}</a>`;
}

function mention(name: string): string {
  return tagged('span', textAsHtml(name), 'mention');
}

/** The first row names the columns. */
function tableAsHtml({ rows }: SlackObject): string {
  const shown = (isList(rows) ? rows : []).map((row, index) => {
    const cells = (isList(row) ? row : []).filter(isObject).map(cellAsHtml);
    return tagged(
      'tr',
      cells.map((cell) => (index === 0 ? `<th>${cell}</th>` : `<td>${cell}</td>`)).join(''),
    );
  });
  return tagged('table', shown.join(''));
}

/** A cell is one line: sections of rich text inside it begin no new lines. */
function cellAsHtml(cell: SlackObject): string {
  return typeOf(cell) === 'rich_text' ? objectsAt(cell, 'elements').map(inside).join('') : htmlOf(cell);
}

function listAsHtml(list: SlackObject): string {
  const items = objectsAt(list, 'elements').map((item) => tagged('li', inside(item)));
  return tagged(stringAt(list, 'style') === 'ordered' ? 'ol' : 'ul', items.join(''));
}

const TAGS = { code: 'code', bold: 'b', italic: 'i', strike: 's' } as const;

function runAsHtml(run: SlackObject): string {
  const style = isObject(run['style']) ? run['style'] : {};
  return Object.entries(TAGS).reduce(
    (inner, [name, tag]) => (style[name] === true ? tagged(tag, inner) : inner),
    textAsHtml(stringAt(run, 'text')),
  );
}

/**
 * Slack, "Formatting message text": fences, code and `<…>` take precedence. A mark does not open right after a letter or
 * digit, nor close right before one.
 */
const MARKED =
  /\n?```\n?(?<pre>[^]+?)\n?```\n?|`(?<code>[^`\n]+)`|<(?<control>[^<>\n]+)>|(?<![\p{L}\p{N}])(?<mark>[*_~])(?<marked>\S(?:[^\n]*?\S)?)\k<mark>(?![\p{L}\p{N}])/gu;

const TAGS_OF_MARKS: Readonly<Record<string, string>> = { '*': 'b', _: 'i', '~': 's' };

function mrkdwnAsHtml(source: string): string {
  let html = '';
  let end = 0;
  for (const { 0: whole, index, groups = {} } of source.matchAll(MARKED)) {
    const { pre, code, control, mark = '', marked = '' } = groups;
    html += textAsHtml(unescapeMrkdwn(source.slice(end, index)));
    if (pre !== undefined) html += tagged('pre', escapeHtml(unescapeMrkdwn(pre)));
    else if (code !== undefined) html += tagged('code', textAsHtml(unescapeMrkdwn(code)));
    else if (control !== undefined) html += controlAsHtml(unescapeMrkdwn(control));
    else html += tagged(TAGS_OF_MARKS[mark] ?? 'span', mrkdwnAsHtml(marked));
    end = index + whole.length;
  }
  return html + textAsHtml(unescapeMrkdwn(source.slice(end)));
}

/** `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`, `<!date^…^…|words>`, `<https://…|words>`. */
function controlAsHtml(control: string): string {
  const [target = '', label = ''] = control.split(/\|(.*)/s);
  if (/^[@#]/.test(target)) return mention(label === '' ? target : `${target.charAt(0)}${label}`);
  if (target.startsWith('!date')) return textAsHtml(label);
  if (target.startsWith('!')) return mention(label || `@${target.replace(/^!(?:subteam\^)?/u, '')}`);
  return linkTo(target, textAsHtml(label || target));
}
