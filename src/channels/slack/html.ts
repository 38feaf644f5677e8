/** A Slack message as Slack would show it, near enough, in HTML that carries its own styles and loads nothing. */
import { escapeHtml } from '../../text/clean.ts';
import type { MessageTheme, TemplateValue } from '../channel.ts';
import { isObject, isUsableUrl, objectsAt, rowsOfTable, stringAt, typeOf } from './message.ts';
import type { SlackMessage, SlackObject } from './message.ts';
import { type MrkdwnStyle, textOfRichTextWord, writeMrkdwn } from './text.ts';

/** Colours are half-transparent, so that light and dark pages both carry them. */
const STYLES = {
  message:
    "font:15px/1.467 Lato,'Noto Sans JP','Hiragino Sans',system-ui,sans-serif;max-width:640px;overflow-wrap:anywhere",
  header: 'font-size:18px;font-weight:900;line-height:1.33;margin:8px 0',
  section: 'display:flex;gap:16px;justify-content:space-between;margin:8px 0',
  grow: 'flex:1 1 auto;min-width:0',
  fields: 'display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:8px 16px',
  context: 'font-size:13px;line-height:1.38;opacity:.75;margin:8px 0;display:flex;flex-wrap:wrap;gap:4px 8px',
  actions: 'display:flex;flex-wrap:wrap;gap:8px;margin:8px 0',
  divider: 'border:0;border-top:1px solid rgba(128,128,128,.35);margin:16px 0',
  button:
    'display:inline-block;padding:4px 12px;border:1px solid rgba(128,128,128,.5);border-radius:8px;font-weight:700;color:inherit;text-decoration:none',
  fence:
    'margin:4px 0;padding:8px;border:1px solid rgba(128,128,128,.35);border-radius:4px;background:rgba(128,128,128,.1);font:12px/1.5 Menlo,Consolas,monospace;white-space:pre-wrap',
  code: 'padding:2px 4px;border:1px solid rgba(128,128,128,.35);border-radius:3px;background:rgba(128,128,128,.1);color:#e01e5a;font:12px Menlo,Consolas,monospace',
  quote: 'margin:4px 0;padding-left:12px;border-left:4px solid rgba(128,128,128,.4)',
  mention: 'padding:0 3px;border-radius:3px;background:rgba(242,199,68,.35);font-weight:700',
  link: 'color:#1d9bd1',
  list: 'margin:4px 0;padding-left:24px',
  table: 'margin:8px 0;border-collapse:collapse',
  cell: 'padding:4px 12px;border:1px solid rgba(128,128,128,.35);text-align:left;vertical-align:top;font-size:14px',
} as const;

/** Slack's own colours; those of links and code are others in each. */
export const SLACK_THEMES: readonly MessageTheme[] = [
  {
    name: 'light',
    style: 'body{background:#fff;color:#1d1c1d}a:not([style*=padding]){color:#1264a3!important}',
  },
  { name: 'dark', style: 'body{background:#1a1d21;color:#d1d2d3}code{color:#e8912d!important}' },
];

const SLACK_LOOK: MrkdwnStyle = {
  text: htmlText,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (code) => `<code style="${STYLES.code}">${escapeHtml(code)}</code>`,
  fence: (code) => `<pre style="${STYLES.fence}">${escapeHtml(code)}</pre>`,
  link: htmlLink,
  mention: (label) => `<span style="${STYLES.mention}">${escapeHtml(label)}</span>`,
};

function htmlText(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}

function htmlLink(url: string, label: string): string {
  if (!isUsableUrl(url)) return htmlText(label);
  return `<a href="${escapeHtml(url)}" rel="noreferrer" style="${STYLES.link}">${htmlText(label)}</a>`;
}

function mrkdwn(source: string): string {
  return writeMrkdwn(source, SLACK_LOOK)
    .replace(/(?<=<\/pre>)<br>|<br>(?=<pre )/gu, '')
    .replace(/(?<=^|<br>|<\/pre>)&gt; ?(.*?)(?:<br>|$)/gu, `<div style="${STYLES.quote}">$1</div>`);
}

export function slackAsHtml(message: SlackMessage): string {
  const blocks = message.blocks ?? [];
  const inner = blocks.length === 0 ? mrkdwn(message.text) : blocks.map(htmlOfBlock).join('\n');
  return `<div style="${STYLES.message}">\n${inner}\n</div>`;
}

function htmlOfBlock(block: SlackObject): string {
  switch (typeOf(block)) {
    case 'header':
      return box('header', htmlOfValue(block['text']));
    case 'divider':
      return `<hr style="${STYLES.divider}">`;
    case 'section':
      return htmlOfSection(block);
    case 'context':
      return box('context', elementsOf(block, 'span'));
    case 'actions':
      return box('actions', objectsAt(block, 'elements').map(htmlOfElement).join(''));
    case 'rich_text':
      return objectsAt(block, 'elements').map(htmlOfRichText).join('');
    case 'table':
      return htmlOfTable(block);
    default:
      return box('section', htmlOfElement(block));
  }
}

function box(style: keyof typeof STYLES, inner: string): string {
  return `<div style="${STYLES[style]}">${inner}</div>`;
}

function elementsOf(block: SlackObject, tag: string): string {
  return objectsAt(block, 'elements')
    .map((element) => `<${tag}>${htmlOfElement(element)}</${tag}>`)
    .join('');
}

function htmlOfSection(section: SlackObject): string {
  const fields = objectsAt(section, 'fields').map((field) => `<div>${htmlOfElement(field)}</div>`);
  const accessory = section['accessory'];
  const body = `${htmlOfValue(section['text'])}${fields.length > 0 ? box('fields', fields.join('')) : ''}`;
  return box('section', `${box('grow', body)}${isObject(accessory) ? htmlOfElement(accessory) : ''}`);
}

function htmlOfValue(value: TemplateValue | undefined): string {
  if (typeof value === 'string') return htmlText(value);
  return isObject(value) ? htmlOfElement(value) : '';
}

function htmlOfElement(element: SlackObject): string {
  switch (typeOf(element)) {
    case 'mrkdwn':
      return mrkdwn(stringAt(element, 'text'));
    case 'image':
      return htmlLink(stringAt(element, 'image_url'), `🖼 ${stringAt(element, 'alt_text')}`);
    case 'button':
      return htmlOfButton(element);
    default:
      return htmlOfValue(element['text']);
  }
}

function htmlOfButton(button: SlackObject): string {
  const url = stringAt(button, 'url');
  const href = isUsableUrl(url) ? ` href="${escapeHtml(url)}" rel="noreferrer"` : '';
  return `<a${href} style="${STYLES.button}">${htmlOfValue(button['text'])}</a>`;
}

function htmlOfRichText(element: SlackObject): string {
  const words = () => objectsAt(element, 'elements').map(htmlOfWord).join('');
  switch (typeOf(element)) {
    case 'rich_text_list':
      return htmlOfRichTextList(element);
    case 'rich_text_preformatted':
      return `<pre style="${STYLES.fence}">${words()}</pre>`;
    case 'rich_text_quote':
      return box('quote', words());
    default:
      return `<div>${words()}</div>`;
  }
}

/** Slack shows the first row as the names of the columns. */
function htmlOfTable(table: SlackObject): string {
  const rows = rowsOfTable(table).map((row, index) => {
    const tag = index === 0 ? 'th' : 'td';
    return `<tr>${row.map((cell) => `<${tag} style="${STYLES.cell}">${htmlOfBlock(cell)}</${tag}>`).join('')}</tr>`;
  });
  return `<table style="${STYLES.table}">${rows.join('')}</table>`;
}

function htmlOfRichTextList(list: SlackObject): string {
  const tag = stringAt(list, 'style') === 'ordered' ? 'ol' : 'ul';
  const items = objectsAt(list, 'elements').map((item) => `<li>${htmlOfRichText(item)}</li>`);
  return `<${tag} style="${STYLES.list}">${items.join('')}</${tag}>`;
}

function htmlOfWord(word: SlackObject): string {
  const type = typeOf(word);
  const text = stringAt(word, 'text');
  if (type === 'link') return htmlLink(stringAt(word, 'url'), text === '' ? stringAt(word, 'url') : text);
  if (type !== 'text') return SLACK_LOOK.mention(textOfRichTextWord(word));
  const style = isObject(word['style']) ? word['style'] : {};
  let html = htmlText(text);
  if (style['code'] === true) html = SLACK_LOOK.code(text);
  if (style['bold'] === true) html = SLACK_LOOK.bold(html);
  if (style['italic'] === true) html = SLACK_LOOK.italic(html);
  return style['strike'] === true ? SLACK_LOOK.strike(html) : html;
}
