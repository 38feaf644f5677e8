/** Tables as spreadsheets open them: UTF-8 that Excel knows by its mark, and nothing that it would compute. */

const BYTE_ORDER_MARK = '\ufeff';

/** What a spreadsheet takes for a formula. */
const BEGINS_FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180. A number stays one; a text that a spreadsheet would compute begins with an apostrophe. */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = BEGINS_FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
