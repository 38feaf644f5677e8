/** The outputs of a card in a mail, as rows and tables of HTML. */
import type { Language } from '../../time/display.ts';
import { emptyMark } from '../marks.ts';
import { type ShownFile, type ShownOutput, type ShownTable } from '../outputs.ts';
import type { ShownCard } from '../show-card.ts';
import { type Html, linkTo, NOTHING, safeHtml } from './html.ts';

/** More do not stand side by side in the width of a mail. */
const MOST_COLUMNS = 8;

const CELL = 'border-top:1px solid #d8dee6;vertical-align:top;color:#1f2933;word-break:break-word';

export function outputsAsHtml({ outputs, moreOutputs }: ShownCard, language: Language): Html {
  if (outputs.length === 0) return NOTHING;
  const rows = outputs.map((output) => rowOf(output, emptyMark(language)));
  return safeHtml`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:12px 0 4px 0;font-size:14px;line-height:1.7">
${rows}</table>${quiet(moreOutputs)}`;
}
/** Names left, values right; a list below its name. */
function rowOf(output: ShownOutput, empty: string): Html {
  const { name } = output;
  if (output.count !== undefined)
    return safeHtml`<tr><td dir="auto" colspan="2" style="padding:8px 0;${CELL}"><div dir="auto" style="font-weight:700">${name}</div>${listOf(output)}${filesOf(output)}</td></tr>
`;
  return safeHtml`<tr><td dir="auto" width="30%" style="padding:8px 12px 8px 0;font-weight:700;${CELL}">${name}</td><td dir="auto" style="padding:8px 0;${CELL}">${valueOf(output, empty)}</td></tr>
`;
}

function valueOf(output: ShownOutput, empty: string): Html {
  if (output.files.length > 0) return filesOf(output);
  if (output.text === '') return quiet(empty);
  if (!output.isCode) return safeHtml`${output.text}`;
  return safeHtml`<code style="font-family:Consolas,Menlo,monospace;font-size:13px">${output.text}</code>`;
}

function listOf({ table, lines, more }: ShownOutput): Html {
  if (table !== undefined && table.names.length <= MOST_COLUMNS)
    return safeHtml`${tableOf(table)}${quiet(more)}`;
  return safeHtml`${lines.map((line) => safeHtml`<div dir="auto">• ${line}</div>`)}${quiet(more)}`;
}

/** Shows its lines where no style sheet reaches. */
function tableOf({ names, rows }: ShownTable): Html {
  const head = names.map(
    (name) =>
      safeHtml`<th scope="col" align="left" dir="auto" style="border-bottom:2px solid #d8dee6">${name}</th>`,
  );
  const body = rows.map((row) => safeHtml`<tr valign="top">${row.map(cellOf)}</tr>`);
  return safeHtml`<table width="100%" cellpadding="4" cellspacing="0" border="0" style="border-collapse:collapse;font-size:13px;line-height:1.5;word-break:break-word"><tr valign="bottom">${head}</tr>${body}</table>`;
}

/** Each with its own direction, as values are in scripts of their own. */
function cellOf(text: string): Html {
  return safeHtml`<td dir="auto" style="border-bottom:1px solid #d8dee6">${text}</td>`;
}

function filesOf({ files, moreFiles }: ShownOutput): Html {
  return safeHtml`${files.map(fileOf)}${quiet(moreFiles)}`;
}

function fileOf({ name, size, url }: ShownFile): Html {
  return safeHtml`<div dir="auto">${linkTo(url, name)}${size === '' ? '' : ` (${size})`}</div>`;
}

function quiet(words: string): Html {
  return words === '' ? NOTHING : safeHtml`<div class="quiet" style="color:#5c6773">${words}</div>`;
}
