/** A chat's message as HTML that resembles the chat's display, has its own styles and loads nothing. */
import { escapeHtml } from '../../text/clean.ts';

const STYLES = {
  message:
    "font:14px/1.5 'Segoe UI','Noto Sans JP','Hiragino Sans',system-ui,sans-serif;max-width:640px;overflow-wrap:anywhere",
  title: 'font-size:17px;font-weight:700',
  code: 'margin:4px 0;padding:8px;border-radius:4px;background:rgba(128,128,128,.12);font:12px/1.5 Menlo,Consolas,monospace;white-space:pre-wrap',
  mention: 'padding:0 3px;border-radius:3px;background:rgba(91,95,199,.2);font-weight:700',
} as const;

const CARD = 'border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:12px;margin:8px 0';
const BUTTON =
  'display:inline-block;margin-top:8px;padding:4px 12px;border:1px solid rgba(128,128,128,.5);border-radius:4px;font-weight:600;color:inherit;text-decoration:none';

/** Plain text as HTML that keeps its line breaks and indentation. */
export function chatText(text: string): string {
  return `<span style="white-space:pre-wrap">${escapeHtml(text)}</span>`;
}

/** @param inner HTML */
export function chatBox(style: keyof typeof STYLES, inner: string): string {
  return `<div style="${STYLES[style]}">${inner}</div>`;
}

/** @param url normalized http or https URL @param inner HTML */
export function chatLink(url: string, inner: string, look = 'color:light-dark(#3f57d0,#93a9ff)'): string {
  return `<a href="${escapeHtml(url)}" rel="noreferrer" style="${look}">${inner}</a>`;
}

export function chatButton(text: string, url: string): string {
  return chatLink(url, chatText(text), BUTTON);
}

interface Picture {
  /** Plain text. */
  readonly mentions?: string | undefined;
  /** HTML, like `body`. */
  readonly title?: string;
  readonly body: string;
  /** The colour of the bar at the left edge. */
  readonly colour?: string | undefined;
}

/** A message as HTML: its mentions, then the card. */
export function chatCard({ mentions = '', title = '', body, colour }: Picture): string {
  const bar = colour === undefined ? '' : `;border-left:4px solid ${colour}`;
  const heading = title === '' ? '' : chatBox('title', title);
  const called = mentions === '' ? '' : chatBox('mention', chatText(mentions));
  return chatBox('message', `${called}<div style="${CARD}${bar}">${heading}<div>${body}</div></div>`);
}

/** The colours of the tones in chats that support colours. */
export const TONE_COLOURS = {
  succeeded: '#2eb886',
  error: '#e01e5a',
  executing: '#1d9bd1',
  alert: '#daa038',
  test: '#8a8d91',
} as const;
