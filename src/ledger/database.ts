/** What an operation of the ledger sees of its database, and what a database promises whoever calls one. */
import type { Sql } from 'sql-template-tag';

/** Columns that hold JSON. */
const JSON_COLUMNS = new Set(
  'last_error receipt entry filter actor stopped_by errors routing telling facts data'.split(' '),
);

interface Column {
  readonly property: string;
  readonly read: (value: unknown) => unknown;
}

const columns = new Map<string, Column>();

function columnOf(name: string): Column {
  const known = columns.get(name);
  if (known !== undefined) return known;
  const property = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const asIs = (value: unknown) => value;
  const read = JSON_COLUMNS.has(name)
    ? (value: unknown) => JSON.parse(value as string) as unknown
    : /^(is|has)_/.test(name)
      ? Boolean
      : asIs;
  columns.set(name, { property, read });
  return { property, read };
}

/** A row as operations see it: `is_bulk` is `isBulk`, a boolean; JSON is read; NULL is undefined. */
export function rowIn(found: Readonly<Record<string, unknown>>): unknown {
  const row: Record<string, unknown> = {};
  for (const name in found) {
    const { property, read } = columnOf(name);
    const value = found[name];
    row[property] = value === null ? undefined : read(value);
  }
  return row;
}

/** A value of a statement as databases take it: undefined is NULL, a boolean 0 or 1, and any other object JSON. */
export function storedValue(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  const isJson = typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
  return isJson ? JSON.stringify(value) : (value ?? null);
}

/** One transaction. On SQLite each statement resolves at once, and one operation runs at a time. */
export interface Tx {
  /** The rows as `rowIn` gives them; values are stored as `storedValue` gives them. */
  all<Row>(statement: Sql): Promise<Row[]>;
  /** The first row; undefined for none. */
  first<Row>(statement: Sql): Promise<Row | undefined>;
  /** Milliseconds since 1970 by the store's clock, which its processes share. */
  readonly now: number;
  /** This process, as its claims name it (`owner.ts`). */
  readonly owner: string;
  /** `for no key update` on PostgreSQL (whoever writes history of a callback holds its key), empty on SQLite. Locks are taken on jobs, callbacks, deliveries in this order, each by id. */
  readonly forUpdate: Sql;
  /** `for no key update skip locked` on PostgreSQL, empty on SQLite. */
  readonly skipLocked: Sql;
  /** The store is past `store.max_size`: what is new is refused with `LedgerFull`. */
  readonly isFull: boolean;
}

/** Which runs one transaction at a time, so that nothing is locked. */
export function isSqlite({ forUpdate }: Pick<Tx, 'forUpdate'>): boolean {
  return forUpdate.sql === '';
}

/** Arguments and result are plain data, since on SQLite they cross to another thread (structured clone) and back. */
export type Operation<Args extends readonly unknown[], Result> = (tx: Tx, ...args: Args) => Promise<Result>;

export type ArgsOf<Each> = Each extends (tx: Tx, ...args: infer Args) => unknown ? Args : never;
export type ResultOf<Each> = Each extends Operation<never[], infer Result> ? Result : never;

export interface CallOptions {
  /** Past it the caller has its answer, and what has not begun does not begin. Default: 5 s. */
  readonly withinMs?: number | undefined;
  /** On disk when it resolves; else a power cut may undo it. */
  readonly isDurable?: boolean | undefined;
}

export const DEFAULT_WITHIN_MS = 5000;

/** Calls at once; past it the store is not keeping up, and whoever comes is told at once. */
export const MOST_WAITING = 5000;

/** Runs any function as a transaction, in this process. */
export interface Transactions {
  /** @throws {LedgerUnavailable} */
  run<Result>(work: (tx: Tx) => Promise<Result>, options?: CallOptions): Promise<Result>;
  close(): Promise<void>;
}
