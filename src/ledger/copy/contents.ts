/** What a ledger holds, counted: by this a copy is compared with its original. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { COPIED_TABLES, WRITTEN_BY_A_START } from './copied-tables.ts';

export interface TableContent {
  readonly table: string;
  readonly rows: number;
  /** Of deliveries, by state. */
  readonly states: Readonly<Record<string, number>>;
}

const ALL = COPIED_TABLES.map(({ name }) => name);

/** @param tables left out: all that a copy has */
export async function contentsOf(
  db: Kysely<Tables>,
  tables: readonly (keyof Tables)[] = ALL,
): Promise<readonly TableContent[]> {
  const contents: TableContent[] = [];
  for (const name of tables) {
    const states = name === 'deliveries' ? await statesIn(db) : {};
    contents.push({ table: name, rows: await rowsIn(db, name), states });
  }
  return contents;
}

async function rowsIn(db: Kysely<Tables>, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(db);
  return rows[0]?.rows ?? 0;
}

async function statesIn(db: Kysely<Tables>): Promise<Readonly<Record<string, number>>> {
  const { rows } = await sql<{ state: string; rows: number }>`
    select state, count(*) as rows from deliveries group by state order by state`.execute(db);
  return Object.fromEntries(rows.map(({ state, rows: count }) => [state, count]));
}

/** A line for each table: `deliveries: 2 (1 dead, 1 delivered)`. */
export function contentLines(contents: readonly TableContent[]): readonly string[] {
  return contents.map(({ table, rows, states }) => `${table}: ${rows}${statesInWords(states)}`);
}

/** `3 callbacks, 2 refused`; '' for a ledger that nothing has come to. */
export function contentInWords(contents: readonly TableContent[]): string {
  const bookkeeping: readonly string[] = WRITTEN_BY_A_START;
  const told = contents.filter(({ table, rows }) => rows > 0 && !bookkeeping.includes(table));
  return told.map(({ table, rows }) => `${rows} ${table}`).join(', ');
}

/** The first difference, in words; undefined: the same. */
export function differenceOf(
  original: readonly TableContent[],
  copy: readonly TableContent[],
): string | undefined {
  for (const [index, expected] of original.entries()) {
    const found = copy[index];
    if (JSON.stringify(found) === JSON.stringify(expected)) continue;
    return `the ledger has ${inWords(expected)}, and the copy ${found === undefined ? 'none' : inWords(found)}`;
  }
  return undefined;
}

/** `2 deliveries (1 dead, 1 delivered)` */
function inWords({ table, rows, states }: TableContent): string {
  return `${rows} ${table}${statesInWords(states)}`;
}

function statesInWords(states: TableContent['states']): string {
  const counts = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`;
}
