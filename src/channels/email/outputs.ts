/** Renders a card's outputs as rows and tables of HTML. */
import type { Escaped } from '../../text/clean.ts';
import type { CardLine, StyledText, Runs, ShownTable } from '../lines.ts';
import type { ShownCard } from '../show-card.ts';
import { linkTo, preformatted, safeHtml } from './html.ts';

/** A mail is too narrow for more; wider tables are shown as lists. */
const MOST_COLUMNS = 8;

const CELL = 'border-top:1px solid #d8dee6;vertical-align:top;color:#1f2933;word-break:break-word';

export function outputsAsHtml({ outputs }: ShownCard): Escaped {
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

/** Draws its lines by inline styles, since mail readers may ignore style sheets. */
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
