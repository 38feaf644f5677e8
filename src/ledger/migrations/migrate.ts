/** Numbered, forward-only steps that bring a ledger of any age to the tables of this version, and what its tables say of it. */
import { type Migration, Migrator, sql } from 'kysely';
import { type Clock, Deadline } from '../../time/clock.ts';
import type { DialectTraits, OpenStore } from '../dialect.ts';
import { retryWhileBusy } from '../timed-store.ts';
import { ledgerTables } from './0001-ledger-tables.ts';
import { deliveryOrder } from './0002-delivery-order.ts';
import { alertCauses } from './0003-alert-causes.ts';
import { runningConfigs } from './0004-running-configs.ts';
import { sweeps } from './0005-sweeps.ts';
import { heldUntil } from './0006-held-until.ts';
import { followedDeliveries } from './0007-followed-deliveries.ts';
import { archive } from './0008-archive.ts';
import { actions } from './0009-actions.ts';
import { attemptDays } from './0010-attempt-days.ts';
import { destinations } from './0011-destinations.ts';
import { endedBefore } from './0012-ended-before.ts';
import type { Schema, Step } from './migration.ts';

/** What a ledger of the first version has had. */
export const FIRST_MIGRATION = '0001-ledger-tables';

/** By their names, in their order. */
const STEPS: Readonly<Record<string, Step>> = {
  [FIRST_MIGRATION]: ledgerTables,
  '0002-delivery-order': deliveryOrder,
  '0003-alert-causes': alertCauses,
  '0004-running-configs': runningConfigs,
  '0005-sweeps': sweeps,
  '0006-held-until': heldUntil,
  '0007-followed-deliveries': followedDeliveries,
  '0008-archive': archive,
  '0009-actions': actions,
  '0010-attempt-days': attemptDays,
  '0011-destinations': destinations,
  '0012-ended-before': endedBefore,
};

export const migrationNames: readonly string[] = Object.keys(STEPS);

export const NEWER_LEDGER =
  'the ledger was written by a newer version of Botbell, or by one before its first release: run that version, or start with another store.url';

/**
 * Stands among the migrations of a ledger for as long as another one is being copied into it: every version of Botbell, the
 * earlier ones too, refuses a ledger with a migration that it does not know.
 */
export const COPY_MARK = 'unfinished-copy';

/** Part of another ledger is all that is there. */
export class UnfinishedCopy extends Error {
  override readonly name = 'UnfinishedCopy';

  constructor() {
    super(
      'this is the copy of a ledger, and it was not finished: run `botbell copy-ledger` again, which begins it anew, or take another store.url',
    );
  }
}

/** By name, in order; also for whoever needs a ledger of an earlier version. */
export function migrationsFor(traits: DialectTraits): Record<string, Migration> {
  const steps = Object.entries(STEPS);
  return Object.fromEntries(steps.map(([name, up]) => [name, { up: (db) => up(db as Schema, traits) }]));
}

/** A step may take as long as it needs, but only of a server that answers. */
const ANSWER_TIMEOUT_MS = 5000;

/** @throws {Error} a step that failed; a ledger written by a newer version of the program is refused */
export async function migrate({ db, traits }: OpenStore, clock: Clock): Promise<void> {
  const migrations = migrationsFor(traits);
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const toLatest = async () => {
    await traits.read(db, new Deadline(clock, ANSWER_TIMEOUT_MS), (reading) =>
      sql`select 1`.execute(reading),
    );
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw asError(error);
  };
  await retryWhileBusy(clock, traits.isBusy, toLatest).catch((error: unknown) => {
    throw explained(error);
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function explained(error: unknown): Error {
  const { message } = asError(error);
  return message.startsWith('corrupted migrations')
    ? refusalOf(message.includes(COPY_MARK))
    : new Error(`the ledger could not be prepared: ${message}`, { cause: error });
}

function refusalOf(isUnfinishedCopy: boolean): Error {
  return isUnfinishedCopy ? new UnfinishedCopy() : new Error(NEWER_LEDGER);
}

/** `new`: there is no ledger yet, and one can be made. */
export type StoreState = 'new' | 'ready';

/** Of a ledger of any version; Kysely's list of the migrations that it has had. */
export const MIGRATIONS_TABLE = 'kysely_migration';

/** Of the first version on. */
export const LEDGER_TABLES = ['callbacks', 'deliveries', 'history', 'refused'] as const;

export interface TablesFound {
  readonly tables: readonly string[];
  /** Migrations that the ledger has had. */
  readonly migrations: readonly string[];
}

/** @throws {UnfinishedCopy} @throws {Error} what is there is no ledger, or one of a newer version */
export function stateOf({ tables, migrations }: TablesFound): StoreState {
  const foreign = LEDGER_TABLES.filter((name) => tables.includes(name));
  if (migrations.length === 0 && foreign.length > 0) {
    throw new Error(`it has a table ${foreign[0]} that is not Botbell's: give Botbell a store of its own`);
  }
  const unknown = migrations.filter((name) => !migrationNames.includes(name));
  if (unknown.length > 0) throw refusalOf(unknown.join() === COPY_MARK);
  return migrations.length === 0 ? 'new' : 'ready';
}
