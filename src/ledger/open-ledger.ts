/** Opens the ledger of a store URL: for the service, for commands that only read, and for commands that act beside the service. */
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { FaultError, faultsOf } from '../text/fault.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { type DatabaseLedger, ledgerOver, type LedgerSettings } from './database-ledger.ts';
import { OperationFailed, reasonSaid } from './failures.ts';
import { LedgerUnavailable } from './ledger.ts';
import type { LedgerState } from './shared/migrate.ts';
import { ownerName } from './shared/processes.ts';
import { type Archive, archiveReads, type Database, databaseOver, methodsOver } from './registry.ts';
import { checkDisk, checkWritable, hasBytes, SQLITE, sqlitePathOf } from './sqlite/file.ts';
import type { SqliteOptions } from './sqlite/transactions.ts';

type DatabaseOptions = Omit<SqliteOptions, 'path' | 'isReader' | 'isKept'> & {
  /** SQLite without its keeper: for commands, and for tests, since a thread cannot share their clocks. */
  readonly isInProcess?: boolean | undefined;
  /** What calls go through on their way to a database without a keeper: a simulation delays, fails and loses them there. */
  readonly around?: ((database: Database) => Database) | undefined;
};

export type LedgerOptions = LedgerSettings & DatabaseOptions;

// prettier-ignore
const fault = faultsOf({
  none: ['there is no ledger yet at store.url: `botbell serve` makes one when it starts; is this the config, and the folder, that it runs with?{where}', 'store.url に記録がまだありません。`botbell serve` が起動時に作ります。serveと同じ設定とフォルダーで実行しているか、確認してください{where}'],
  file: ['store.url: the SQLite file {file} cannot be used: {why}', 'store.url：SQLiteのファイル {file} を使えません：{why}'],
  database: ['store.url: the PostgreSQL database cannot be used: {why}', 'store.url：PostgreSQLのデータベースを使えません：{why}'],
  older: ['the ledger is of an earlier version: the service brings it up to date when it starts', '記録が古いバージョンのものです。サービスが起動時に新しくします'],
});

/** @throws {Error} the store cannot be opened, or another version or program has written it; says what to do */
export async function openLedger(url: string, options: LedgerOptions): Promise<DatabaseLedger> {
  try {
    // First a look that changes nothing, unlike opening a file to write; and unlike the server, `inspectStore` says what to do if a role lacks a right.
    if (url.startsWith(SQLITE)) await (await look(url, { ...options, mayIndexLog: true })).database?.close();
    else await inspectStore(url, options);
    return ledgerOver(...(await openBoth(url, options)), options);
  } catch (error) {
    throw unusable(url, error);
  }
}

/** The whole path of the store's file; undefined: it is a database on a server. */
export function fileOf(url: string): string | undefined {
  return url.startsWith(SQLITE) ? resolve(sqlitePathOf(url)) : undefined;
}

/** The error of an open store, which it names if it is the store that cannot be used. */
export function namingStore(url: string, error: unknown): unknown {
  return error instanceof LedgerUnavailable && !(error instanceof OperationFailed)
    ? unusable(url, error)
    : error;
}

/** The error of a store that cannot be used: names the store and the reason, of an SQLite file that of `checkWritable`, if it finds one. */
function unusable(url: string, error: unknown): FaultError {
  const file = fileOf(url);
  let why = reasonSaid(error);
  try {
    if (file !== undefined) checkWritable(file);
  } catch (found) {
    why = reasonSaid(found);
  }
  const unusableFor = file === undefined ? fault('database', { why }) : fault('file', { file, why });
  return new FaultError(unusableFor, { cause: error });
}

/** One to write, one to read. Each database's code is loaded only where it is used. */
async function openBoth(url: string, options: DatabaseOptions): Promise<[Database, Database]> {
  const path = sqlitePathOf(url);
  const isKept = url.startsWith(SQLITE) && options.isInProcess !== true;
  if (!isKept) return [await openDatabase(url, options, false), await openDatabase(url, options, true)];
  const { openSqlite } = await import('./sqlite/transactions.ts');
  const { Keeper } = await import('./sqlite/keeper.ts');
  const writer = await openSqlite({ ...options, path, isKept });
  return [databaseOver(writer), new Keeper({ path, writer, maxBytes: options.maxBytes })];
}

async function openDatabase(url: string, options: DatabaseOptions, isReader: boolean): Promise<Database> {
  const settings = { ...options, isReader };
  const database = databaseOver(
    url.startsWith(SQLITE)
      ? await (await import('./sqlite/transactions.ts')).openSqlite({ ...settings, path: sqlitePathOf(url) })
      : await (await import('./postgres/transactions.ts')).openPostgres({ ...settings, url }),
  );
  return options.around?.(database) ?? database;
}

export interface OpenArchive {
  readonly archive: Archive;
  readonly close: () => Promise<void>;
}

/** Read-only: nothing is created, changed or claimed. @throws {Error} there is no ledger, or it cannot be read; says what to do */
export async function openArchive(url: string, options: ReadingOptions = {}): Promise<OpenArchive> {
  const { database, state } = await look(url, options).catch((error: unknown) => {
    throw unusable(url, error);
  });
  if (state === 'ready' && database !== undefined)
    return { archive: methodsOver(database.call, archiveReads), close: () => database.close() };
  await database?.close();
  if (state === 'older') throw new FaultError(fault('older'));
  const file = fileOf(url);
  throw new FaultError(fault('none', { where: file === undefined ? '' : ` (${file})` }));
}

/** For commands that act while the service runs. @throws {Error} there is no ledger, or it cannot be written; says what to do */
export async function openBesideService(url: string, clock: Clock = systemClock): Promise<DatabaseLedger> {
  // Throws unless there is a ledger of this version; opening for writing would create one.
  await (await openArchive(url, { clock })).close();
  const owner = ownerName(clock.now());
  return openLedger(url, { clock, owner, isInProcess: true, workMs: 0, takeOverAfterMs: 0 });
}

/**
 * @returns what the store holds; `none`: it could hold a ledger
 * @throws {Error} the store cannot be used; says why, and what to do
 */
export async function inspectStore(url: string, options: ReadingOptions = {}): Promise<LedgerState> {
  const file = fileOf(url);
  const server = file === undefined ? await import('./postgres/server.ts') : undefined;
  try {
    if (file !== undefined) {
      checkWritable(file);
      checkDisk(file);
    }
    await server?.checkServer(url);
    const { database, state } = await look(url, options);
    await database?.close();
    await server?.checkMayServe(url, state);
    return state;
  } catch (error) {
    throw new FaultError(reasonSaid(error), { cause: error });
  }
}

/** Whether a process with this role could write all of its ledger: of SQLite, a process that cannot has no heartbeat. @throws {Error} it could not; says why */
export async function checkRights(url: string): Promise<void> {
  if (fileOf(url) !== undefined) return;
  const server = await import('./postgres/server.ts');
  await server.checkRights(url).catch((error: unknown) => {
    throw unusable(url, error);
  });
}

type ReadingOptions = Partial<Pick<DatabaseOptions, 'clock' | 'migrations' | 'mayIndexLog'>>;

/** @throws {Error} the store cannot be used */
async function look(
  url: string,
  { clock = systemClock, migrations, mayIndexLog }: ReadingOptions,
): Promise<{ readonly database?: Database; readonly state: LedgerState }> {
  let database: Database | undefined;
  try {
    const file = fileOf(url);
    if (file !== undefined && !hasBytes(file)) return { state: 'none' };
    if (file !== undefined) accessSync(file, constants.R_OK);
    database = await openDatabase(url, { clock, owner: '', isInProcess: true, mayIndexLog }, true);
    return { database, state: await database.call('ledgerState', [migrations]) };
  } catch (error) {
    await database?.close();
    throw error;
  }
}
