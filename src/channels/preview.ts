/** Shows messages to people: lines for a terminal and as HTML, and HTML as a document for an iframe without scripts. */
import { escapeHtml } from '../text/clean.ts';
import type { Tone } from './card.ts';
import type { Composed } from './channel.ts';
import { type CardLine, type Markup, markedUp, runsOfText, UNMARKED } from './lines.ts';

/** A message as lines: those of the card, or of what a template wrote in its place. */
export interface ShownLines {
  readonly lines: readonly CardLine[];
  /** Colours the bar at the left edge; left out: there is none. */
  readonly tone?: Tone;
}

/** The members of `Composed` that show the message to people. */
export function shownAs(shown: () => ShownLines): Pick<Composed, 'asText' | 'asHtml'> {
  return {
    asText: () => markedUp(shown().lines, TERMINAL).trimEnd(),
    asHtml: () => linesAsHtml(shown()),
  };
}

/** The colours of the tones in chats that support colours, and in previews. */
export const TONE_COLOURS: Readonly<Record<Tone, string>> = {
  succeeded: '#2eb886',
  error: '#e01e5a',
  executing: '#1d9bd1',
  alert: '#daa038',
  test: '#8a8d91',
};

/** The half-transparent colours work on light and dark backgrounds. */
const STYLE = `<style>
body { margin: 16px; background: #fff; color: #1d1c1d }
.chat { font: 15px/1.467 Lato, 'Noto Sans JP', 'Hiragino Sans', system-ui, sans-serif; max-width: 640px; overflow-wrap: anywhere }
.bar { border-left: 4px solid; padding-left: 12px }
.line { white-space: pre-wrap }
.quiet { font-size: 13px; opacity: .75; margin: 8px 0 }
pre, code { padding: 2px 4px; border: 1px solid rgba(128,128,128,.35); border-radius: 4px; background: rgba(128,128,128,.1); font: 12px/1.5 Menlo, Consolas, monospace }
pre { margin: 4px 0; padding: 8px; white-space: pre-wrap }
.mention { padding: 0 3px; border-radius: 3px; background: rgba(242,199,68,.35); font-weight: 700 }
table { margin: 8px 0; border-collapse: collapse }
th, td { padding: 4px 12px; border: 1px solid rgba(128,128,128,.35); text-align: left; vertical-align: top; font-size: 14px }
a { color: #1264a3 }
@media (prefers-color-scheme: dark) {
  body { background: #1a1d21; color: #d1d2d3 }
  a { color: #1d9bd1 }
}
</style>`;

const CELLS_APART = ' | ';

const TERMINAL: Markup = {
  ...UNMARKED,
  styles: { code: (text) => `\`${text}\`` },
  link: (text, url) => `${text} (${url})`.trim(),
  table: (rows) => rows.map((cells) => cells.join(CELLS_APART)).join('\n'),
  between: ' · ',
};

const within = (tag: string) => (html: string) => `<${tag}>${html}</${tag}>`;

const PAGE: Markup = {
  text: escapeHtml,
  bold: within('b'),
  styles: {
    italic: within('i'),
    strike: within('s'),
    code: within('code'),
    mention: (html) => `<span class="mention">${html}</span>`,
  },
  code: (text) => `<pre>${markedUp([{ runs: runsOfText(text) }], PAGE)}</pre>`,
  link: (html, url) => `<a href="${escapeHtml(url)}" rel="noreferrer">${html || escapeHtml(url)}</a>`,
  table: ([names = [], ...rows]) => {
    const head = names.map(within('th')).join('');
    const body = rows.map((cells) => `<tr>${cells.map(within('td')).join('')}</tr>`);
    return `<table><tr>${head}</tr>${body.join('')}</table>`;
  },
  between: ' · ',
};

function linesAsHtml({ lines, tone }: ShownLines): string {
  const bar = tone === undefined ? '' : ` bar" style="border-color:${TONE_COLOURS[tone]}`;
  const shown = lines.map((line) => {
    const quiet = 'facts' in line ? ' quiet' : '';
    return `<div class="line${quiet}">${markedUp([line], PAGE)}</div>`;
  });
  return `${STYLE}\n<div class="chat${bar}">\n${shown.join('\n')}\n</div>`;
}

export function textAsHtml(text: string): string {
  return `<pre style="white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(text)}</pre>`;
}

/** Otherwise links would open inside the iframe. */
const LINKS_OPEN_APART = '<base target="_blank">';

export const LIGHT_OR_DARK = '<meta name="color-scheme" content="light dark">';

const DOCUMENT = /^\s*<(!doctype|html)/i;

export function messageDocument({ asHtml }: Pick<Composed, 'asHtml'>): string {
  const content = asHtml();
  if (DOCUMENT.test(content))
    return content.replace(/<head(\s[^<>]*)?>/i, (head) => `${head}${LINKS_OPEN_APART}`);
  return `<!doctype html><meta charset="utf-8">${LIGHT_OR_DARK}${LINKS_OPEN_APART}${content}`;
}

/** In pixels; the reader can make a frame higher. */
const [LINE_PX, AROUND_PX, HIGHEST_PX] = [24, 200, 2400];
const [CHAT_LINE_PX, AROUND_CHAT_PX] = [20, 52];

/** Characters in a line; a full-width one counts twice. */
const IN_LINE = 70;

/** Estimated from the text, since an iframe without scripts cannot fit itself to its content. */
export function frameHeightOf({ asText, title }: Pick<Composed, 'asText' | 'title'>): number {
  const count = asText()
    .split('\n')
    .map((line) => line.replace(/[\u1100-\uffdc]/g, '$&_').length)
    .reduce((sum, width) => sum + Math.max(1, Math.ceil(width / IN_LINE)), 0);
  const [line, around] = title === undefined ? [CHAT_LINE_PX, AROUND_CHAT_PX] : [LINE_PX, AROUND_PX];
  return Math.min(HIGHEST_PX, around + count * line);
}
