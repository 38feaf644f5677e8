/** Pieces of a chat's message as HTML with its own styles, near enough to what the chat draws; loads nothing. */
import { escapeHtml } from '../../text/clean.ts';

const STYLES = {
  message:
    "font:14px/1.5 'Segoe UI','Noto Sans JP','Hiragino Sans',system-ui,sans-serif;max-width:640px;overflow-wrap:anywhere",
  card: 'border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:12px;margin:8px 0',
  title: 'font-size:17px;font-weight:700',
  subtle: 'opacity:.75;font-size:13px',
  code: 'margin:6px 0;padding:8px;border-radius:4px;background:rgba(128,128,128,.12);font:12px/1.5 Menlo,Consolas,monospace;white-space:pre-wrap',
  mention: 'padding:0 3px;border-radius:3px;background:rgba(91,95,199,.2);font-weight:700',
  button:
    'display:inline-block;margin-top:8px;padding:4px 12px;border:1px solid rgba(128,128,128,.5);border-radius:4px;font-weight:600;color:inherit;text-decoration:none',
} as const;

export type ChatStyle = keyof typeof STYLES;

/** Plain text, with its lines and indentation. */
export function chatText(text: string): string {
  return `<span style="white-space:pre-wrap">${escapeHtml(text)}</span>`;
}

/** @param inner HTML */
export function chatBox(style: ChatStyle, inner: string, more = ''): string {
  return `<div style="${STYLES[style]}${more === '' ? '' : `;${more}`}">${inner}</div>`;
}

/** @param url http or https, in its normal form @param inner HTML */
export function chatLink(url: string, inner: string, style?: ChatStyle): string {
  const look = style === undefined ? 'color:#4f6bed' : STYLES[style];
  return `<a href="${escapeHtml(url)}" rel="noreferrer" style="${look}">${inner}</a>`;
}

/** @param rows of HTML; the first one holds the names */
export function chatTable(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((cells, index) => {
    const tag = index === 0 ? 'th' : 'td';
    const inner = cells.map((cell) => `<${tag} style="${CELL}">${cell}</${tag}>`);
    return `<tr>${inner.join('')}</tr>`;
  });
  return `<table style="border-collapse:collapse;margin:4px 0">${shown.join('')}</table>`;
}

const CELL = 'padding:2px 8px;border:1px solid rgba(128,128,128,.35);text-align:left;vertical-align:top';

/** Of the status, as chats have it that can colour. */
export const TONE_COLOURS = {
  succeeded: '#2eb886',
  error: '#e01e5a',
  executing: '#1d9bd1',
  alert: '#daa038',
  test: '#8a8d91',
} as const;
