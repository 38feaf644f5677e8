/** A Slack message as Slack would show it, near enough, in HTML that carries its own styles and loads nothing. */
import { escapeHtml } from '../../text/clean.ts';
import type { MessageTheme } from '../channel.ts';
import { isUsableUrl, type SlackMessage } from './message.ts';
import { type Look, viewMessage, type WordLook } from './preview.ts';
import { writeMrkdwn } from './read-mrkdwn.ts';

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

function text(plain: string): string {
  return escapeHtml(plain).replaceAll('\n', '<br>');
}

function anchor(url: string, inner: string, style: keyof typeof STYLES): string {
  const href = isUsableUrl(url) ? ` href="${escapeHtml(url)}" rel="noreferrer"` : '';
  return `<a${href} style="${STYLES[style]}">${inner}</a>`;
}

function box(style: keyof typeof STYLES, inner: string): string {
  return `<div style="${STYLES[style]}">${inner}</div>`;
}

const WORD_LOOK: WordLook = {
  text,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (code) => `<code style="${STYLES.code}">${escapeHtml(code)}</code>`,
  fence: (code) => `<pre style="${STYLES.fence}">${escapeHtml(code)}</pre>`,
  link: (url, label) => (isUsableUrl(url) ? anchor(url, text(label), 'link') : text(label)),
  mention: (label) => `<span style="${STYLES.mention}">${escapeHtml(label)}</span>`,
};

const LOOK: Look = {
  ...WORD_LOOK,
  between: '',
  mrkdwn: (source) =>
    writeMrkdwn(source, WORD_LOOK)
      .replace(/(?<=<\/pre>)<br>|<br>(?=<pre )/gu, '')
      .replace(/(?<=^|<br>|<\/pre>)&gt; ?(.*?)(?:<br>|$)/gu, box('quote', '$1')),
  header: (inner) => box('header', inner),
  section: (body, fields, accessory) => {
    const grid =
      fields.length === 0 ? '' : box('fields', fields.map((field) => `<div>${field}</div>`).join(''));
    return box('section', `${box('grow', body + grid)}${accessory}`);
  },
  row: (elements) => box('context', elements.map((element) => `<span>${element}</span>`).join('')),
  divider: () => `<hr style="${STYLES.divider}">`,
  button: (label, url) => anchor(url, label, 'button'),
  image: (label, url) => anchor(url, `🖼 ${escapeHtml(label)}`, 'link'),
  line: (inner) => `<div>${inner}</div>`,
  quote: (inner) => box('quote', inner),
  list: (items, isOrdered) => {
    const tag = isOrdered ? 'ol' : 'ul';
    return `<${tag} style="${STYLES.list}">${items.map((item) => `<li>${item}</li>`).join('')}</${tag}>`;
  },
  table: (rows) => {
    const shown = rows.map((row, index) => {
      const tag = index === 0 ? 'th' : 'td';
      return `<tr>${row.map((cell) => `<${tag} style="${STYLES.cell}">${cell}</${tag}>`).join('')}</tr>`;
    });
    return `<table style="${STYLES.table}">${shown.join('')}</table>`;
  },
};

export function slackAsHtml(message: SlackMessage): string {
  return `<div style="${STYLES.message}">\n${viewMessage(message, LOOK).join('\n')}\n</div>`;
}
