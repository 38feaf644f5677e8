/** A Slack message as Slack would show it, near enough: on a terminal, and in HTML that has its own styles and loads nothing. */
import { escapeHtml } from '../../text/clean.ts';
import type { MessageTheme } from '../channel.ts';
import { isUsableUrl, type SlackMessage } from './message.ts';
import type { Piece } from './mrkdwn.ts';
import { type Part, type Pieces, readMessage } from './read.ts';

export function slackAsText(message: SlackMessage): string {
  return readMessage(message)
    .map(partAsText)
    .filter((text) => text.trim() !== '')
    .join('\n')
    .replace(/\n{3,}/gu, '\n\n')
    .replace(/^\n+/u, '')
    .trimEnd();
}

function partAsText(part: Part): string {
  switch (part.kind) {
    case 'fields':
      return part.cells.map((cell) => asText(cell).replaceAll('\n', ': ')).join('\n');
    case 'row':
      return part.cells.map(asText).join('  ');
    case 'list':
      return part.items.map((item) => `• ${asText(item)}`).join('\n');
    case 'table':
      return part.rows.map((row) => row.map(asText).join(' | ')).join('\n');
    case 'divider':
      return '─'.repeat(24);
    case 'quote':
      return `> ${asText(part.pieces).replaceAll('\n', '\n> ')}`;
    case 'header':
    case 'line':
      return asText(part.pieces);
  }
}

function asText(pieces: Pieces): string {
  return pieces.map(pieceAsText).join('');
}

function pieceAsText({ text, styles, url = '' }: Piece): string {
  if (styles.includes('fence')) return `\n${text.replace(/^/gmu, '    ')}\n`;
  if (styles.includes('code')) return `\`${text}\``;
  const label = styles.includes('button') ? `[${text}]` : text;
  return url === '' || url === text ? label : `${label} (${url})`;
}

/** Slack's own colours; half-transparent ones suit light and dark alike. */
const STYLE = `<style>
.slack { font: 15px/1.467 Lato, 'Noto Sans JP', 'Hiragino Sans', system-ui, sans-serif; max-width: 640px; overflow-wrap: anywhere }
.slack h3 { font-size: 18px; font-weight: 900; line-height: 1.33; margin: 8px 0 }
.slack .fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(220px, 1fr)); gap: 8px 16px; margin: 8px 0 }
.slack .row { font-size: 13px; line-height: 1.38; opacity: .75; margin: 8px 0; display: flex; flex-wrap: wrap; gap: 4px 8px }
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
</style>`;

export const SLACK_THEMES: readonly MessageTheme[] = [
  { name: 'light', style: 'body{background:#fff;color:#1d1c1d}' },
  {
    name: 'dark',
    style:
      'body{background:#1a1d21;color:#d1d2d3}.slack code{color:#e8912d!important}.slack a:not(.button){color:#1d9bd1!important}',
  },
];

export function slackAsHtml(message: SlackMessage): string {
  return `${STYLE}\n<div class="slack">\n${readMessage(message).map(partAsHtml).join('\n')}\n</div>`;
}

function partAsHtml(part: Part): string {
  switch (part.kind) {
    case 'fields':
      return part.cells.length === 0 ? '' : `<div class="fields">${each('div', part.cells)}</div>`;
    case 'row':
      return `<div class="row">${each('span', part.cells)}</div>`;
    case 'list': {
      const tag = part.isOrdered ? 'ol' : 'ul';
      return `<${tag}>${each('li', part.items)}</${tag}>`;
    }
    case 'table': {
      const rows = part.rows.map((row, index) => `<tr>${each(index === 0 ? 'th' : 'td', row)}</tr>`);
      return `<table>${rows.join('')}</table>`;
    }
    case 'divider':
      return '<hr>';
    case 'header':
      return each('h3', [part.pieces]);
    case 'quote':
      return each('blockquote', [part.pieces]);
    case 'line':
      return each('div', [part.pieces]);
  }
}

/** A fence stands on lines of its own, whatever line ends are around it. */
const BESIDE_FENCE = /<br>(?=<pre>)|(?<=<\/pre>)<br>/g;

function each(tag: string, contents: readonly Pieces[]): string {
  const html = contents.map((pieces) => `<${tag}>${pieces.map(pieceAsHtml).join('')}</${tag}>`).join('');
  return html.replace(BESIDE_FENCE, '');
}

const TAGS = { bold: 'b', italic: 'i', strike: 's', code: 'code' } as const;

function pieceAsHtml({ text, styles, url = '' }: Piece): string {
  if (styles.includes('fence')) return `<pre>${escapeHtml(text)}</pre>`;
  let html = escapeHtml(text).replaceAll('\n', '<br>');
  for (const style of styles) if (style in TAGS) html = wrapped(TAGS[style as keyof typeof TAGS], html);
  if (styles.includes('mention')) return `<span class="mention">${html}</span>`;
  const kind = styles.includes('button') ? ' class="button"' : '';
  if (isUsableUrl(url)) return `<a${kind} href="${escapeHtml(url)}" rel="noreferrer">${html}</a>`;
  return kind === '' ? html : `<span${kind}>${html}</span>`;
}

function wrapped(tag: string, html: string): string {
  return `<${tag}>${html}</${tag}>`;
}
