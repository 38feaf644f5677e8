/** The HTML document of all mails, in light and dark: tables and inline styles, since mail readers support little else. */
import { Escaped } from '../../text/clean.ts';
import { shortLine } from '../../text/cut.ts';
import type { Card, Fact, Tone } from '../card.ts';
import type { CardLine, Runs, ShownTable, StyledText } from '../lines.ts';
import type { ShownCard } from '../show-card.ts';
import { buttonTo, linkedText, linkTo, NOTHING, preformatted, safeHtml } from './html.ts';

/** Colours of the bar and of a message's box, and the bar's symbol: no emoji, which would not be drawn in white. */
interface Look {
  readonly colour: string;
  readonly tint: string;
  readonly symbol: string;
}

const LOOKS: Readonly<Record<Tone, Look>> = {
  succeeded: { colour: '#1a7f4b', tint: '#e9f6ef', symbol: '✓ ' },
  error: { colour: '#c0392b', tint: '#fcefed', symbol: '✕ ' },
  executing: { colour: '#2563b0', tint: '#eaf1fa', symbol: '▶ ' },
  alert: { colour: '#b35900', tint: '#fdf3e7', symbol: '! ' },
  test: { colour: '#2f5fa8', tint: '#eaf1fa', symbol: '' },
};

const HEAD = new Escaped(`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<style>
@media (prefers-color-scheme: dark) {
  .page { background-color: #16191d !important; }
  .card { background-color: #22262c !important; }
  .card, .card table, .card td, .card th { border-color: #3a4048 !important; }
  .card, .card h1, .card td, .card th, .card div, .card pre { color: #e4e7eb !important; }
  .card .quiet { color: #a3abb6 !important; }
  .card .box { background-color: #2b3038 !important; }
  .card .bar { color: #fdfdfd !important; }
  .card a { color: #8ab4f8 !important; }
  .card a.button { color: #fdfdfd !important; }
  .card a.title { color: #e4e7eb !important; }
}
</style>`);

const TABLE = new Escaped('role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"');

const CARD_STYLE =
  "max-width:600px;background-color:#fdfdfd;border:1px solid #d8dee6;border-collapse:separate;border-radius:10px;overflow:hidden;font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Hiragino Sans','Noto Sans JP',Meiryo,sans-serif;font-size:15px;line-height:1.6;color:#1f2933";

const HIDDEN_STYLE =
  'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px';

const BOX_STYLE =
  "margin:8px 0;padding:12px 16px;font-family:Consolas,Menlo,'Noto Sans JP',monospace;font-size:14px;line-height:1.6;color:#1f2933;word-break:break-word";

const PLAIN_STYLE = 'margin:8px 0;color:#1f2933;word-break:break-word';

const FOOTER_STYLE = 'padding-top:8px;color:#5c6773;font-size:13px;line-height:1.5';

const TITLE_LINK = 'color:inherit;text-decoration:none';

const LONGEST_BAR = 80;
const LONGEST_PREHEADER = 150;
const LONGEST_TITLE = 200;

/** Splits a text: its first line goes into the bar if it is short and no list item; otherwise the bar says Botbell. */
function barOf(text: string): readonly [bar: string, rest: string] {
  const [first = ''] = text.split('\n', 1);
  if (first === '' || first.length > LONGEST_BAR || first.startsWith('• ')) return ['Botbell', text];
  return [first, text.slice(first.length).trim()];
}

export function frameOf(shown: ShownCard, card: Card): string {
  const look = LOOKS[card.tone];
  const [words, text] = barOf(shown.text);
  const bar = look.symbol + words;
  const preheader = shortLine(text || shown.message || words, LONGEST_PREHEADER);
  return safeHtml`<!doctype html>
<html lang="${card.language}">
<head>
${HEAD}
<title>${bar}</title>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f1f3f6;color:#1f2933">
<div style="${HIDDEN_STYLE}">${preheader}</div>
<table class="page" ${TABLE} style="background-color:#f1f3f6">
<tr><td align="center" style="padding:24px 12px">
${OUTLOOK_BEGIN}${cardOf({ ...shown, text }, card, bar)}${OUTLOOK_END}
</td></tr>
</table>
</body>
</html>`.text;
}

/** Outlook for Windows ignores `max-width`, so a table of its own sets the width. */
const OUTLOOK_BEGIN = new Escaped(
  '<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->',
);
const OUTLOOK_END = new Escaped('<!--[if mso]></td></tr></table><![endif]-->');

function cardOf(shown: ShownCard, { title, tone }: Card, bar: string): Escaped {
  const { text, link, facts, footer } = shown;
  const words = shortLine(title, LONGEST_TITLE);
  const leadsTo = link === undefined ? NOTHING : buttonTo(link.url, link.text, LOOKS[tone].colour);
  return safeHtml`<table class="card" ${TABLE} style="${CARD_STYLE}">
<tr><td class="bar" dir="auto" style="background-color:${LOOKS[tone].colour};color:#fdfdfd;padding:10px 24px;font-size:14px;font-weight:700">${bar}</td></tr>
<tr><td style="padding:20px 24px 8px 24px">
<h1 dir="auto" style="margin:0 0 8px 0;font-size:21px;line-height:1.35;font-weight:700;color:#1f2933;word-break:break-word">${link === undefined ? words : linkTo(link.url, words, TITLE_LINK, 'title')}</h1>
${boxOf(text, PLAIN_STYLE)}${messageOf(shown, LOOKS[tone])}${outputsAsHtml(shown)}${boxOf(leadsTo, PLAIN_STYLE)}
</td></tr>
<tr><td style="padding:8px 24px 20px 24px">
${factsOf(facts)}${boxOf(footer, FOOTER_STYLE, 'quiet')}
</td></tr>
</table>`;
}

function factsOf(facts: readonly Fact[]): Escaped {
  if (facts.length === 0) return NOTHING;
  return safeHtml`<table ${TABLE} style="border-top:1px solid #d8dee6;font-size:13px;line-height:1.5">
${facts.map(factRow)}</table>
`;
}

function boxOf(content: string | Escaped, style: string, kind = 'text'): Escaped {
  if (content === '' || content === NOTHING) return NOTHING;
  const inside = typeof content === 'string' ? linkedText(content) : content;
  return safeHtml`<div dir="auto" class="${kind}" style="${style}">${inside}</div>`;
}

function messageOf({ message, isVerbatim }: ShownCard, { colour, tint }: Look): Escaped {
  if (!isVerbatim) return boxOf(message, PLAIN_STYLE);
  return boxOf(message, `${BOX_STYLE};border-left:4px solid ${colour};background-color:${tint}`, 'box');
}

function factRow({ name, value, url }: Fact): Escaped {
  return safeHtml`<tr><td class="quiet" width="72" style="padding:6px 12px 0 0;color:#5c6773;white-space:nowrap;vertical-align:top">${name}</td><td dir="auto" style="padding:6px 0 0 0;color:#1f2933;word-break:break-word">${url === '' ? linkedText(value) : linkTo(url, value)}</td></tr>
`;
}

/** A mail is too narrow for more; wider tables are shown as lists. */
const MOST_COLUMNS = 8;

const CELL = 'border-top:1px solid #d8dee6;vertical-align:top;color:#1f2933;word-break:break-word';

function outputsAsHtml({ outputs }: ShownCard): Escaped {
  if (outputs.length === 0) return safeHtml``;
  return safeHtml`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:12px 0 4px 0;font-size:14px;line-height:1.7">
${outputs.map(rowOf)}</table>`;
}

/** Names on the left, values on the right; lists and files below their name. */
function rowOf(line: CardLine): Escaped {
  if (!('label' in line))
    return safeHtml`<tr><td dir="auto" colspan="2" style="word-break:break-word">${insideOf(line)}</td></tr>
`;
  if (line.runs.length === 0)
    return safeHtml`<tr><td dir="auto" colspan="2" style="padding:8px 0 0 0;font-weight:700;${CELL}">${line.label}</td></tr>
`;
  return safeHtml`<tr><td dir="auto" width="30%" style="padding:8px 12px 8px 0;font-weight:700;${CELL}">${line.label}</td><td dir="auto" style="padding:8px 0;${CELL}">${line.runs.map(runOf)}</td></tr>
`;
}

function insideOf(line: CardLine): Escaped {
  if ('runs' in line) return safeHtml`${line.runs.map(runOf)}`;
  if ('facts' in line) return safeHtml`${line.facts.flat().map(runOf)}`;
  if ('code' in line) return preformatted(line.code);
  const { table, items } = line;
  if (table !== undefined && table.names.length <= MOST_COLUMNS) return tableOf(table);
  return safeHtml`${items.map((item) => safeHtml`<div dir="auto">• ${item.map(runOf)}</div>`)}`;
}

function runOf({ text, style, url = '' }: StyledText): Escaped {
  if (style === 'italic')
    return safeHtml`<span class="quiet" style="color:#5c6773">${linkTo(url, text)}</span>`;
  if (style === 'code')
    return safeHtml`<code style="font-family:Consolas,Menlo,monospace;font-size:13px">${text}</code>`;
  return linkTo(url, text);
}

/** Borders are inline styles, since mail readers may ignore style sheets. */
function tableOf({ names, rows }: ShownTable): Escaped {
  const head = names.map(
    (name) =>
      safeHtml`<th scope="col" align="left" dir="auto" style="border-bottom:2px solid #d8dee6">${name}</th>`,
  );
  const body = rows.map((row) => safeHtml`<tr valign="top">${row.map(cellOf)}</tr>`);
  return safeHtml`<table width="100%" cellpadding="4" cellspacing="0" border="0" style="border-collapse:collapse;font-size:13px;line-height:1.5;word-break:break-word"><tr valign="bottom">${head}</tr>${body}</table>`;
}

/** Each cell has its own direction, since values may be in different scripts. */
function cellOf(runs: Runs): Escaped {
  return safeHtml`<td dir="auto" style="border-bottom:1px solid #d8dee6">${runs.map(runOf)}</td>`;
}
