/** Tables: Slack's own block, of which a message may hold one, and the list that stands for any other. */
import { isBlank } from '../../text/blank.ts';
import { isList, isObject, objectsAt, stringAt, typeOf } from './message.ts';
import type { SlackObject } from './message.ts';

/** Slack: table block. */
export const MAX_TABLE_ROWS = 100;
export const MAX_TABLE_COLUMNS = 20;

/** Stands in an empty table cell, which must not shift its neighbours. */
export const EMPTY_CELL: SlackObject = { type: 'raw_text', text: '–' };

type Runs = readonly SlackObject[];

/** @param rows of cells, each of them runs; the first row names the columns */
export function tableOf(rows: readonly (readonly Runs[])[]): SlackObject {
  const shown = rows.slice(0, MAX_TABLE_ROWS);
  const widest = shown.reduce((most, row) => Math.max(most, row.length), 1);
  const columns = Math.min(MAX_TABLE_COLUMNS, widest);
  return { type: 'table', rows: shown.map((row) => cellsOf(row, columns)) };
}

function cellsOf(row: readonly Runs[], columns: number): readonly SlackObject[] {
  const cells: SlackObject[] = [];
  for (const runs of row) if (cells.length < columns) cells.push(cellOf(runs));
  while (cells.length < columns) cells.push(EMPTY_CELL);
  return cells;
}

/** The simplest cell that holds what is in it. */
function cellOf(runs: Runs): SlackObject {
  const first = runs[0];
  if (first === undefined) return EMPTY_CELL;
  if (runs.length > 1 || typeOf(first) !== 'text' || 'style' in first)
    return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: runs }] };
  const text = stringAt(first, 'text');
  return isBlank(text) ? EMPTY_CELL : { type: 'raw_text', text };
}

/** `name: value · name: value` of each row but the first, as items of a rich_text_list. */
export function rowsAsList([names = [], ...rows]: readonly (readonly Runs[])[]): readonly SlackObject[] {
  return rows.map((row) => ({
    type: 'rich_text_section',
    elements: row.flatMap((cell, index) => [
      ...(index > 0 ? [textRun(' · ')] : []),
      ...(names[index] ?? []),
      textRun(': '),
      ...(cell.length === 0 ? [textRun('–')] : cell),
    ]),
  }));
}

/** A template's own table block as such a list. */
export function tableAsList(table: SlackObject): SlackObject {
  const cells = rowsOfTable(table).map((row) => row.map(runsOf));
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_list', style: 'bullet', elements: rowsAsList(cells) }],
  };
}

/** The cells of a table block, row by row. */
export function rowsOfTable(table: SlackObject): readonly (readonly SlackObject[])[] {
  const rows = table['rows'];
  return isList(rows) ? rows.map((row) => (isList(row) ? row.filter(isObject) : [])) : [];
}

function runsOf(cell: SlackObject): Runs {
  const text = stringAt(cell, 'text');
  if (typeOf(cell) !== 'rich_text') return isBlank(text) ? [] : [textRun(text)];
  return objectsAt(cell, 'elements').flatMap((element) => objectsAt(element, 'elements'));
}

function textRun(text: string): SlackObject {
  return { type: 'text', text };
}
