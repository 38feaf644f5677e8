/** A ledger to be read by whoever runs no service: nothing is created, migrated or claimed, and a service beside it goes on. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { sql } from 'kysely';
import { type Clock, Deadline } from '../time/clock.ts';
import type { Archive } from './archive/archive.ts';
import { createArchive } from './archive/sql-archive.ts';
import type { StoreReader } from './dialect.ts';
import { SQLITE, sqlitePathOf } from './inspect-store.ts';
import { migrationNames, MIGRATIONS_TABLE, stateOf } from './migrations/migrate.ts';
import { type StoreTime, storeTime } from './rows.ts';

const TIMEOUT_MS = 5000;

export interface OpenArchive {
  readonly archive: Archive;
  /** SQLite's log has no index, and nothing may be made to read it: what was written last may be missing. */
  readonly isLogUnread: boolean;
}

interface Source {
  readonly reader: StoreReader;
  readonly timeOf: () => StoreTime;
  /** Whether the store has a table of that name. */
  readonly hasTable: (name: string) => ReturnType<typeof sql<{ found: number }>>;
  readonly isLogUnread: boolean;
}

/** @throws {Error} there is no ledger, it is of another version, or it cannot be read: why, and what to do */
export async function openArchive(url: string, clock: Clock): Promise<OpenArchive> {
  const source = url.startsWith(SQLITE) ? await sqliteSource(url, clock) : await postgresSource(url);
  const { reader, timeOf, isLogUnread } = source;
  try {
    checkVersion(await migrationsIn(source, clock), isLogUnread);
  } catch (error) {
    await reader.close();
    throw error;
  }
  return { archive: createArchive(reader, clock, timeOf), isLogUnread };
}

async function sqliteSource(url: string, clock: Clock): Promise<Source> {
  const path = sqlitePathOf(url);
  const file = resolve(path);
  if (path === ':memory:') throw new Error('a ledger in memory is known to its service alone');
  if (!existsSync(file) || statSync(file).size === 0) throw new Error(`${NO_LEDGER} (${file})`);
  checkReadable(file);
  const { openSqliteReader, openWithoutTrace } = await import('./sqlite/connection.ts');
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return {
    reader: openSqliteReader(file, openWithoutTrace),
    timeOf: () => storeTime(clock.now()),
    hasTable: (name) =>
      sql`select count(*) as found from sqlite_master where type = 'table' and name = ${name}`,
    isLogUnread: log > 0 && !existsSync(`${file}-shm`),
  };
}

/** @throws {Error} of the file, its log or the log's index */
function checkReadable(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path))) {
    try {
      accessSync(each, constants.R_OK);
    } catch (error) {
      const advice = 'run this as the user of the service, to whom the files of a ledger belong';
      throw new Error(`${each} may not be read: ${advice}`, { cause: error });
    }
  }
}

async function postgresSource(url: string): Promise<Source> {
  // Loaded only where it is used, since most ledgers are files.
  const { openPostgresReader, postgresNow } = await import('./postgres/store.ts');
  return {
    reader: openPostgresReader(url, () => undefined),
    timeOf: () => storeTime(postgresNow()),
    hasTable: (name) => sql`select count(to_regclass(${name})) as found`,
    isLogUnread: false,
  };
}

/** That it has had; none of what is no ledger. */
async function migrationsIn({ reader, hasTable }: Source, clock: Clock): Promise<readonly string[]> {
  const deadline = new Deadline(clock, TIMEOUT_MS);
  const reading = reader.read(deadline, async (db) => {
    const { rows } = await hasTable(MIGRATIONS_TABLE).execute(db);
    if (rows[0]?.found !== 1) return [];
    const found = await sql<{ name: string }>`select name from ${sql.table(MIGRATIONS_TABLE)}`.execute(db);
    return found.rows.map(({ name }) => name);
  });
  return deadline.bound(reading).catch((error: unknown) => {
    throw new Error(`the ledger cannot be read: ${reasonOf(error)}`, { cause: error });
  });
}

/** Node gives what failed at several addresses no words of its own. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const reason = first ?? error;
  return reason instanceof Error ? reason.message : String(reason);
}

const NO_LEDGER =
  'there is no ledger yet at store.url: `botbell serve` makes one when it starts; is this the config, and the folder, that it runs with?';

const ALL_IN_LOG =
  'all of the ledger is in its log (-wal), whose index (-shm) is gone: it can be read once the service has run again';

function checkVersion(migrations: readonly string[], isLogUnread: boolean): void {
  if (stateOf({ tables: [], migrations }) === 'new') throw new Error(isLogUnread ? ALL_IN_LOG : NO_LEDGER);
  if (migrationNames.some((name) => !migrations.includes(name))) {
    throw new Error(
      'the ledger was written by an earlier version of Botbell: start `botbell serve` of this version once, which brings it up to date',
    );
  }
}
