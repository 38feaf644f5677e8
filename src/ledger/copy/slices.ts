/** Reads a table a slice at a time, each as large as memory is certain to hold, and makes its rows those of the other database. */
import { type Kysely, sql } from 'kysely';
import { BodyCompressor, Deflated, readBody, type StoredBody } from '../stored-body.ts';
import type { Tables } from '../tables.ts';
import type { CopiedTable } from './copied-tables.ts';
import type { Access } from './ends.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Of the widest table, as many values as SQLite binds at once. */
const ROWS = 500;
/** A row may be larger: then it is read alone. */
const BYTES = 4 * 1024 * 1024;

/** In the order of their key. @param rows how many at the most */
export async function* slicesOf(
  read: Access,
  table: CopiedTable,
  rows = ROWS,
): AsyncGenerator<readonly Row[]> {
  let after: readonly unknown[] | undefined;
  for (;;) {
    const place = after;
    const slice = await read((db) => nextSlice(db, table, place, rows));
    const last = slice.at(-1);
    if (last === undefined) return;
    after = table.key.map((column) => last[column]);
    yield slice;
  }
}

async function nextSlice(
  db: Kysely<Tables>,
  table: CopiedTable,
  after: readonly unknown[] | undefined,
  most: number,
): Promise<readonly Row[]> {
  const key = sql.join(table.key.map((column) => sql.ref(column)));
  const rest = after === undefined ? sql`` : sql`where (${key}) > (${sql.join([...after])})`;
  const from = sql`from ${sql.table(table.name)} ${rest} order by ${key}`;
  const rows = table.large === undefined ? most : await rowsThatFit(db, table.large, from, most);
  const found = await sql<Row>`select * ${from} limit ${sql.lit(rows)}`.execute(db);
  return found.rows;
}

async function rowsThatFit(
  db: Kysely<Tables>,
  column: string,
  from: ReturnType<typeof sql>,
  most: number,
): Promise<number> {
  const bytes = sql`coalesce(octet_length(${sql.ref(column)}), 0)`;
  const { rows } = await sql<{
    bytes: number;
  }>`select ${bytes} as bytes ${from} limit ${sql.lit(most)}`.execute(db);
  let sum = 0;
  const tooMany = rows.findIndex((row) => (sum += row.bytes) > BYTES);
  return tooMany === -1 ? most : Math.max(1, tooMany);
}

export interface OtherDatabase {
  /** By itself; otherwise the ledger does. */
  readonly isCompressing: boolean;
}

/** A slice as the other database takes it, in parts that are bounded once they are no longer compressed. */
export async function* convertedParts(
  { name }: CopiedTable,
  slice: readonly Row[],
  { isCompressing }: OtherDatabase,
): AsyncGenerator<readonly Row[]> {
  const hasBody = name === 'callbacks' || name === 'refused';
  let part: Row[] = [];
  let size = 0;
  for (const row of slice) {
    const body = hasBody ? await bodyFor(row['body'] as StoredBody, isCompressing) : '';
    const converted = hasBody ? { ...row, body } : row;
    part.push(isCompressing ? plain(converted) : converted);
    size += body.length;
    if (size < BYTES) continue;
    yield part;
    part = [];
    size = 0;
  }
  if (part.length > 0) yield part;
}

const compressor = new BodyCompressor(true);

async function bodyFor(stored: StoredBody, isCompressing: boolean): Promise<string | Uint8Array> {
  if (isCompressing) return typeof stored === 'string' ? stored : (await readBody(stored)).toString('utf8');
  if (typeof stored !== 'string') return stored;
  const kept = await compressor.toStore(Buffer.from(stored));
  return kept instanceof Deflated ? kept.bytes : stored;
}

/** SQLite keeps fractions of a millisecond, and a NUL in a text: PostgreSQL refuses them. */
function plain(row: Row): Row {
  const columns = Object.entries(row);
  return columns.every(([, value]) => plainValue(value) === value)
    ? row
    : Object.fromEntries(columns.map(([column, value]) => [column, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
