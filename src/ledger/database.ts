/** The transaction that an operation of the ledger runs in, the values of its rows, and the options of a call. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Random } from '../text/random.ts';
import type { Clock } from '../time/clock.ts';
import type { Migration } from './shared/schema.ts';

const JSON_COLUMNS = new Set(
  'last_error receipt entry filter actor stopped_by errors routing telling facts data taken_up alerted alert'.split(
    ' ',
  ),
);

/** By a column's name: a row's property, and how its value is read. */
const columns = new Map<string, ReturnType<typeof columnNamed>>();

function columnNamed(name: string) {
  const property = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const isJson = JSON_COLUMNS.has(name);
  const isFlag = /^(is|has)_/.test(name);
  const read = (value: unknown): unknown =>
    isJson ? JSON.parse(value as string) : isFlag ? Boolean(value) : value;
  return { property, read };
}

/** A row as operations see it: `is_bulk` is `isBulk`, a boolean; JSON is read; NULL is undefined. */
export function rowIn(found: Readonly<Record<string, unknown>>): unknown {
  const row: Record<string, unknown> = {};
  for (const name in found) {
    let column = columns.get(name);
    if (column === undefined) columns.set(name, (column = columnNamed(name)));
    const value = found[name];
    row[column.property] = value === null ? undefined : column.read(value);
  }
  return row;
}

/** A statement's value as databases take it: undefined is NULL, a boolean is 0 or 1, bytes stay, and any other object is JSON. */
export function storedValue(value: unknown): string | number | null | Uint8Array {
  if (typeof value === 'boolean') return Number(value);
  const isJson = typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
  return isJson ? JSON.stringify(value) : ((value ?? null) as string | number | null | Uint8Array);
}

/** A statement whose text is always the same: it is kept prepared by its template, since building the text and looking it up costs more. */
export class PreparedStatement implements Pick<Sql, 'sql' | 'text' | 'values'> {
  readonly strings: TemplateStringsArray;
  readonly values: unknown[];
  /** PostgreSQL's types of the values, of a statement that may be merged with others (`shared`). */
  readonly types: readonly string[] | undefined;

  constructor(strings: TemplateStringsArray, values: unknown[], types?: readonly string[]) {
    this.strings = strings;
    this.values = values;
    this.types = types;
  }

  /** With `?` for each value. */
  get sql(): string {
    return this.strings.join('?');
  }

  /** With `$1` for the first value. */
  get text(): string {
    return this.strings.reduce((before, after, index) => `${before}$${index}${after}`);
  }
}

/** For statements that each POST runs. Takes values only, no parts of statements. */
export function prepared(strings: TemplateStringsArray, ...values: unknown[]): PreparedStatement {
  return new PreparedStatement(strings, values);
}

/**
 * For statements that each POST runs. On PostgreSQL, those that run at the same time in a transaction are merged into one: each of them is
 * a row of `given`, which the text names in comments (`postgres/shared-statements.ts`).
 * @param types PostgreSQL's, of the values in their order
 */
export function shared(types: string) {
  const each = types.split(' ');
  return (strings: TemplateStringsArray, ...values: unknown[]) =>
    new PreparedStatement(strings, values, each);
}

export type Statement = Sql | PreparedStatement;

/** One transaction. On SQLite each statement resolves at once, and one operation runs at a time. */
export interface Tx {
  /** The rows as `rowIn` gives them; values are stored as `storedValue` gives them. */
  all<Row>(statement: Statement): Promise<Row[]>;
  first<Row>(statement: Statement): Promise<Row | undefined>;
  /** Sends COMMIT with the last statements, all of which `work` has to begin before it awaits anything. The call resolves after the commit. */
  commitWith<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Waits for the other calls that share the transaction, so that they lock rows of the same kind in their order: they come there after more or
   * fewer statements. Left out: rows need no locks.
   */
  readonly inTurn?: () => Promise<void>;
  /** Milliseconds since 1970 by the store's clock, which its processes share. */
  readonly now: number;
  /** The same moment by the monotonic clock of this process. */
  readonly monotonic: number;
  /** This process, as its claims name it (`ownerName`). */
  readonly owner: string;
  readonly random: Random;
  /** `for no key update` on PostgreSQL (inserting history locks the callback's key), empty on SQLite. Lock order: `deliveries/rows.ts`. */
  readonly forUpdate: Sql;
  /** `for no key update skip locked` on PostgreSQL, empty on SQLite. */
  readonly skipLocked: Sql;
  /** The store is past `store.max_size`: new callbacks are refused with `LedgerFull`. */
  readonly isFull: boolean;
  /** By key, the data that calls running at once in the transaction have put into timers. Left out: each call reads what the one before it wrote. */
  readonly timersPut?: Map<string, unknown>;
}

/** SQLite runs one writing transaction at a time, so rows need no locks. */
export function isSqlite({ forUpdate }: Pick<Tx, 'forUpdate'>): boolean {
  return forUpdate.sql === '';
}

/** An operation of the archive takes and returns plain data: SQLite's keeper is another thread (structured clone). */
export type Operation<Args extends readonly unknown[], Result> = (tx: Tx, ...args: Args) => Promise<Result>;

export type ArgsOf<Each> = Each extends (tx: Tx, ...args: infer Args) => unknown ? Args : never;
export type ResultOf<Each> = Each extends Operation<never[], infer Result> ? Result : never;

export interface CallOptions {
  /** The deadline: past it the call rejects, and does not begin if it has not begun. Default: 5 s. */
  readonly withinMs?: number | undefined;
  /**
   * True: its changes are on disk when the call resolves. Left out: a power cut may undo them, but no crash of the database's server that
   * this process outlives, since it remembers rows by their ids. False: such a crash may undo them, too.
   */
  readonly isDurable?: boolean | undefined;
  /** The keys of its BOT and its job, the job's last, if it depends on what other calls write of them. Calls that share a key run in the order in which they came. */
  readonly keys?: readonly string[] | undefined;
  /** Calls without keys that share a transaction run in this order, so that those of several processes lock rows in the same one. */
  readonly order?: number | undefined;
  /** It depends on no rows but those of its keys, and on timers as in `Tx.timersPut`, so PostgreSQL may run it at once with others, in one transaction. */
  readonly isPlain?: boolean | undefined;
}

export const DEFAULT_WITHIN_MS = 5000;

/** The most calls that may wait; past it the store is not keeping up, and further calls are rejected at once. */
export const MOST_WAITING = 5000;

export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement that always returns a row has returned none');
  return row;
}

/** A query of the distinct values of a column, `AS key`: it skips from one to the next through an index, without reading all rows of one. */
export function distinctValues(column: Sql, rows: Sql): Sql {
  return sql`
    WITH RECURSIVE found(key) AS (
      SELECT min(${column}) FROM ${rows}
      UNION ALL
      SELECT (SELECT min(${column}) FROM ${rows} AND ${column} > found.key) FROM found WHERE found.key IS NOT NULL
    )
    SELECT key FROM found WHERE key IS NOT NULL`;
}

/** The same of texts that differ only in upper and lower case, of which PostgreSQL has those of its database's locale, or in full and half width. */
function folded(tx: Tx, text: Sql, normal = sql`normalize(${text}, NFKC)`): Sql {
  if (isSqlite(tx)) return sql`folded(${text})`;
  return sql`lower(CASE WHEN current_setting('server_encoding') = 'UTF8' THEN ${normal} ELSE ${text} END)`;
}

/** Whether one of the values contains the text or, if the text has an asterisk, matches it whole. */
export function isAnyLike(tx: Tx, values: readonly Sql[], text: string): Sql {
  // What becomes a sign of the pattern when it is folded is no such sign, either.
  const literal = text.replaceAll(/[\\%_＼％＿]/g, String.raw`\$&`);
  const pattern = text.includes('*') ? literal.replaceAll('*', '%') : `%${literal}%`;
  const typed = (text: string) => sql`CAST(${text} AS TEXT)`;
  // Not by the server: it works out what is constant before it looks at its encoding, and refuses that in SQL_ASCII.
  const isLike = sql`LIKE ${folded(tx, typed(pattern), typed(pattern.normalize('NFKC')))} ESCAPE '\\'`;
  return sql`(${join(
    values.map((value) => sql`${folded(tx, value)} ${isLike}`),
    ' OR ',
  )})`;
}

/** The ids that a statement gives. */
export async function idsOf(tx: Tx, statement: Statement): Promise<readonly number[]> {
  return (await tx.all<{ id: number }>(statement)).map(({ id }) => id);
}

/** A statement of SQLite takes 32,766 values at most. */
export function inChunks<Item>(items: readonly Item[], most: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / most);
  return Array.from({ length: count }, (_, index) => items.slice(index * most, (index + 1) * most));
}

/** The store's time of a moment of this process's monotonic clock, as of the transaction: whatever clocks are set, and however late it is written. */
export function storedTime({ now, monotonic }: Pick<Tx, 'now' | 'monotonic'>, at: number): number {
  return Math.round(now - (monotonic - at));
}

/** What every database is opened with. */
export interface DatabaseSettings {
  /** `monotonic` has to be the clock of the calls' deadlines. */
  readonly clock: Clock;
  readonly owner: string;
  readonly random?: Random | undefined;
  /** Creates and changes nothing, and opens a ledger of any version. */
  readonly isReader?: boolean | undefined;
  /** Left out: those of this version. For tests of the next one, in process. */
  readonly migrations?: readonly Migration[] | undefined;
  /** Told before a ledger of an earlier version is changed. */
  readonly onUpgrade?: ((versions: { readonly from: number; readonly to: number }) => void) | undefined;
}

export interface Transactions {
  /** @throws {LedgerUnavailable} */
  run<Result>(work: (tx: Tx) => Promise<Result>, options?: CallOptions): Promise<Result>;
  close(): Promise<void>;
}
