/** A Slack message as Slack would show it, near enough, in HTML that has its own styles and loads nothing. */
import { escapeHtml } from '../../text/clean.ts';
import type { TemplateValue } from '../channel.ts';
import {
  isObject,
  isUsableUrl,
  objectsAt,
  rowsOfTable,
  type SlackMessage,
  type SlackObject,
  stringAt,
  typeOf,
} from './message.ts';
import { unescapeMrkdwn } from './mrkdwn.ts';

/** Slack's own colours; half-transparent ones suit light and dark alike. */
const STYLE = `<style>
body { margin: 16px; background: #fff; color: #1d1c1d }
.slack { font: 15px/1.467 Lato, 'Noto Sans JP', 'Hiragino Sans', system-ui, sans-serif; max-width: 640px; overflow-wrap: anywhere }
.slack h3 { font-size: 18px; font-weight: 900; line-height: 1.33; margin: 8px 0 }
.slack .fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(220px, 1fr)); gap: 8px 16px; margin: 8px 0 }
.slack .row { font-size: 13px; line-height: 1.38; opacity: .75; margin: 8px 0 }
.slack hr { border: 0; border-top: 1px solid rgba(128,128,128,.35); margin: 16px 0 }
.slack .button { display: inline-block; padding: 4px 12px; border: 1px solid rgba(128,128,128,.5); border-radius: 8px; font-weight: 700; color: inherit; text-decoration: none }
.slack pre, .slack code { border: 1px solid rgba(128,128,128,.35); border-radius: 4px; background: rgba(128,128,128,.1); font: 12px/1.5 Menlo, Consolas, monospace }
.slack pre { margin: 4px 0; padding: 8px; white-space: pre-wrap }
.slack code { padding: 2px 4px; color: #e01e5a }
.slack blockquote { margin: 4px 0; padding-left: 12px; border-left: 4px solid rgba(128,128,128,.4) }
.slack .mention { padding: 0 3px; border-radius: 3px; background: rgba(242,199,68,.35); font-weight: 700 }
.slack a { color: #1264a3 }
.slack ul, .slack ol { margin: 4px 0; padding-left: 24px }
.slack table { margin: 8px 0; border-collapse: collapse }
.slack th, .slack td { padding: 4px 12px; border: 1px solid rgba(128,128,128,.35); text-align: left; vertical-align: top; font-size: 14px }
@media (prefers-color-scheme: dark) {
  body { background: #1a1d21; color: #d1d2d3 }
  .slack code { color: #e8912d }
  .slack a:not(.button) { color: #1d9bd1 }
}
</style>`;

export function slackAsHtml({ text, blocks = [] }: SlackMessage): string {
  const shown = blocks.length === 0 ? [tagged('div', mrkdwnAsHtml(text))] : blocks.map(blockAsHtml);
  return `${STYLE}\n<div class="slack">\n${shown.join('\n')}\n</div>`;
}

function blockAsHtml(block: SlackObject): string {
  switch (typeOf(block)) {
    case 'header':
      return tagged('h3', wordsOf(block['text']));
    case 'divider':
      return '<hr>';
    case 'section':
      return [
        tagged('div', wordsOf(block['text'])),
        boxOf(
          'fields',
          objectsAt(block, 'fields')
            .map((field) => tagged('div', wordsOf(field)))
            .join(''),
        ),
        tagged('div', wordsOf(block['accessory'])),
      ].join('');
    case 'context':
    case 'actions':
      return boxOf('row', objectsAt(block, 'elements').map(wordsOf).join('&nbsp; '));
    case 'rich_text':
      return objectsAt(block, 'elements').map(richTextAsHtml).join('');
    case 'table':
      return tagged('table', rowsOfTable(block).map(rowAsHtml).join(''));
    default:
      return tagged('div', wordsOf(block));
  }
}

function tagged(tag: string, html: string): string {
  return html === '' ? '' : `<${tag}>${html}</${tag}>`;
}

function boxOf(kind: 'fields' | 'row', html: string): string {
  return html === '' ? '' : `<div class="${kind}">${html}</div>`;
}

function textAsHtml(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}

/** A string, a text object, an image, a button, or anything with words of its own. */
function wordsOf(value: TemplateValue | undefined): string {
  if (typeof value === 'string') return textAsHtml(value);
  if (!isObject(value)) return '';
  switch (typeOf(value)) {
    case 'mrkdwn':
      return mrkdwnAsHtml(stringAt(value, 'text'));
    case 'image':
      return linkTo(stringAt(value, 'image_url'), textAsHtml(stringAt(value, 'alt_text')), 'button');
    case 'button':
      return linkTo(stringAt(value, 'url'), wordsOf(value['text']), 'button');
    default:
      return wordsOf(value['text']);
  }
}

function linkTo(url: string, html: string, kind?: 'button'): string {
  const look = kind === undefined ? '' : ` class="${kind}"`;
  if (isUsableUrl(url)) return `<a${look} href="${escapeHtml(url)}" rel="noreferrer">${html}</a>`;
  return `<span${look}>${html}</span>`;
}

function richTextAsHtml(element: SlackObject): string {
  const inner = runsAsHtml(element);
  switch (typeOf(element)) {
    case 'rich_text_list': {
      const items = objectsAt(element, 'elements').map((item) => tagged('li', runsAsHtml(item)));
      return tagged(stringAt(element, 'style') === 'ordered' ? 'ol' : 'ul', items.join(''));
    }
    case 'rich_text_preformatted':
      return tagged('pre', inner.replaceAll('<br>', '\n'));
    case 'rich_text_quote':
      return tagged('blockquote', inner);
    default:
      return tagged('div', inner);
  }
}

/** The first row names the columns. */
function rowAsHtml(row: readonly SlackObject[], index: number): string {
  const tag = index === 0 ? 'th' : 'td';
  const cells = row.map((cell) =>
    typeOf(cell) === 'rich_text' ? objectsAt(cell, 'elements').map(runsAsHtml).join('') : wordsOf(cell),
  );
  return `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
}

function runsAsHtml(holder: SlackObject): string {
  return objectsAt(holder, 'elements').map(runAsHtml).join('');
}

/** Where the words of a run stand, by its type, and what Slack shows around them. */
const WORDS: Readonly<Record<string, readonly [key: string, before: string, behind?: string]>> = {
  user: ['user_id', '@'],
  usergroup: ['usergroup_id', '@'],
  channel: ['channel_id', '#'],
  broadcast: ['range', '@'],
  emoji: ['name', ':', ':'],
  date: ['fallback', ''],
};

const TAGS = { code: 'code', bold: 'b', italic: 'i', strike: 's' } as const;

function runAsHtml(run: SlackObject): string {
  const type = typeOf(run);
  if (type === 'link')
    return linkTo(stringAt(run, 'url'), textAsHtml(stringAt(run, 'text') || stringAt(run, 'url')));
  const [key, before, behind = ''] = WORDS[type] ?? ['text', ''];
  const html = textAsHtml(before + stringAt(run, key) + behind);
  if (type !== 'text') return mention(html);
  const style = isObject(run['style']) ? run['style'] : {};
  return Object.entries(TAGS).reduce(
    (inner, [name, tag]) => (style[name] === true ? tagged(tag, inner) : inner),
    html,
  );
}

function mention(html: string): string {
  return `<span class="mention">${html}</span>`;
}

/**
 * Slack: formatting message text: fences, code and `<…>` come first. A mark opens after and closes before anything that is
 * neither letter nor digit.
 */
const MARKED = new RegExp(
  [
    '\n?```\n?(?<pre>[\\s\\S]+?)\n?```\n?',
    '`(?<code>[^`\\n]+)`',
    '<(?<control>[^<>\\n]+)>',
    ...[
      ['b', '\\*'],
      ['i', '_'],
      ['s', '~'],
    ].map(
      ([name, mark]) =>
        `(?<![\\p{L}\\p{N}${mark}])${mark}(?<${name}>[^\\s${mark}](?:[^${mark}\\n]*[^\\s${mark}])?)${mark}(?![\\p{L}\\p{N}${mark}])`,
    ),
  ].join('|'),
  'gu',
);

function mrkdwnAsHtml(source: string): string {
  let html = '';
  let end = 0;
  for (const { 0: whole, index, groups = {} } of source.matchAll(MARKED)) {
    const [tag = '', inner = ''] = Object.entries(groups).find(([, found]) => Boolean(found)) ?? [];
    html += textAsHtml(unescapeMrkdwn(source.slice(end, index)));
    if (tag === 'control') html += controlAsHtml(unescapeMrkdwn(inner));
    else if (tag === 'pre') html += tagged(tag, escapeHtml(unescapeMrkdwn(inner)));
    else html += tagged(tag, tag === 'code' ? textAsHtml(unescapeMrkdwn(inner)) : mrkdwnAsHtml(inner));
    end = index + whole.length;
  }
  return html + textAsHtml(unescapeMrkdwn(source.slice(end)));
}

/** `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`, `<!date^…^…|words>`, `<https://…|words>`. */
function controlAsHtml(control: string): string {
  const [target = '', label = ''] = control.split(/\|(.*)/s);
  if (/^[@#]/.test(target)) return mention(textAsHtml(label === '' ? target : `${target.charAt(0)}${label}`));
  if (target.startsWith('!date')) return textAsHtml(label);
  if (target.startsWith('!'))
    return mention(textAsHtml(label || `@${target.replace(/^!(?:subteam\^)?/u, '')}`));
  return linkTo(target, textAsHtml(label || target));
}
