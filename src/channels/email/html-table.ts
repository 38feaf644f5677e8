/** A table of data as HTML for mail, which shows its lines where no style sheet reaches. */

const TABLE =
  '<table width="100%" cellpadding="4" cellspacing="0" border="0" style="border-collapse:collapse;font-size:13px;line-height:1.5;word-break:break-word">';

/** What a row takes beside its cells, and a cell beside what is in it: bytes. */
export const ROW_BYTES = rowOf('').length;
export const CELL_BYTES = cellOf('').length;

/** @param names HTML, as all cells are */
export function htmlTable(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const header = `<tr valign="bottom">${names.map(headerOf).join('')}</tr>`;
  return `${TABLE}${header}${rows.map((cells) => rowOf(cells.map(cellOf).join(''))).join('')}</table>`;
}

function headerOf(name: string): string {
  return `<th scope="col" align="left" dir="auto" style="border-bottom:2px solid #d8dee6">${name}</th>`;
}

function rowOf(cells: string): string {
  return `<tr valign="top">${cells}</tr>`;
}

/** Each with its own direction, as values are in scripts of their own. */
function cellOf(html: string): string {
  return `<td dir="auto" style="border-bottom:1px solid #d8dee6">${html}</td>`;
}
