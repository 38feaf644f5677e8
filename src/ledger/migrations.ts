/** Numbered, forward-only steps that bring a ledger of any age to the tables of this version. */
import { type ColumnDefinitionBuilder, type Kysely, type Migration, Migrator, sql } from 'kysely';
import type { Clock } from '../time/clock.ts';
import { Deadline } from '../time/deadline.ts';
import type { DialectTraits, OpenStore } from './dialect.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { earlierInJob } from './pending-rows.ts';
import { WAITS_FOR_EARLIER } from './rows.ts';

type Schema = Kysely<unknown>;

const required = (column: ColumnDefinitionBuilder) => column.notNull();

/** Goes with the row that it belongs to. */
const belongingTo = (key: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(key).onDelete('cascade');

function newTable(db: Schema, traits: DialectTraits, name: string) {
  return db.schema
    .createTable(name)
    .addColumn('id', traits.idType, (column) => traits.asGeneratedId(column.primaryKey()));
}

/**
 * Whoever knows the identity knows the job, too, and one index for both costs half of two: identities are hashes, so each
 * new one would touch a page of its own.
 */
async function createCallbacks(db: Schema, traits: DialectTraits): Promise<void> {
  await newTable(db, traits, 'callbacks')
    .addColumn('kind', 'text', required)
    .addColumn('identity', 'text')
    .addColumn('job_id', 'text', required)
    .addColumn('bot_id', 'text', required)
    .addColumn('bot_name', 'text', required)
    .addColumn('status', 'integer', required)
    .addColumn('started_at', 'bigint', required)
    .addColumn('received_at', 'bigint', required)
    .addColumn('last_received_at', 'bigint', required)
    .addColumn('times_received', 'integer', required)
    .addColumn('body', 'text', required)
    .addColumn('routing', 'text', required)
    .addUniqueConstraint('callbacks_once', ['job_id', 'identity'])
    .execute();
}

async function createDeliveries(db: Schema, traits: DialectTraits): Promise<void> {
  await newTable(db, traits, 'deliveries')
    .addColumn('callback_id', 'bigint', belongingTo('callbacks.id'))
    .addColumn('destination', 'text', required)
    .addColumn('channel', 'text', required)
    .addColumn('address', 'text', required)
    .addColumn('state', 'text', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('refusals', 'integer', required)
    .addColumn('error_class', 'text')
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('receipt', 'text')
    .addColumn('held_because', 'text')
    .addColumn('claimed_by', 'text')
    .addColumn('claimed_until', 'bigint')
    .addColumn('due_at', 'bigint', required)
    .addColumn('is_ours', 'integer', required)
    .addColumn('updated_at', 'bigint', required)
    .addUniqueConstraint('deliveries_once', ['callback_id', 'destination'])
    .execute();
  await db.schema
    .createIndex('deliveries_open')
    .on('deliveries')
    .columns(['state', 'due_at'])
    .where(sql.ref('state'), 'in', sql`('pending', 'dead')`)
    .execute();
}

/** Read as a whole and never searched, so one row holds all that was done at one moment: each row more costs as much again. */
async function createHistory(db: Schema, traits: DialectTraits): Promise<void> {
  await newTable(db, traits, 'history')
    .addColumn('callback_id', 'bigint', belongingTo('callbacks.id'))
    .addColumn('entry', 'text', required)
    .execute();
  await db.schema.createIndex('history_by_callback').on('history').column('callback_id').execute();
}

async function createRefused(db: Schema, traits: DialectTraits): Promise<void> {
  await newTable(db, traits, 'refused')
    .addColumn('received_at', 'bigint', required)
    .addColumn('status', 'integer', required)
    .addColumn('detail', 'text', required)
    .addColumn('errors', 'text', required)
    .addColumn('remote_address', 'text', required)
    .addColumn('body', 'text', required)
    .execute();
}

/**
 * What is due is found by destination, in the order of its callbacks; what waits for an earlier delivery of its job is
 * not due at all until that one is through. Both from indexes that hold nothing but what is pending.
 */
async function orderDeliveries(db: Schema, traits: DialectTraits): Promise<void> {
  await db.schema.alterTable('deliveries').addColumn('job_key', 'text').execute();
  await db.schema
    .alterTable('deliveries')
    .addColumn('waited_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('deliveries').addColumn('counts_from', 'bigint').execute();
  await traits.fillJobKeys(db);
  await sql`
    update deliveries
    set counts_from = (select received_at from callbacks where callbacks.id = deliveries.callback_id)
    where state <> 'delivered'`.execute(db);
  await sql`drop index deliveries_open`.execute(db);
  await indexPending(db, 'deliveries_due', ['destination', 'callback_id', 'due_at']);
  await indexPending(db, 'deliveries_by_job', ['job_key', 'destination', 'callback_id']);
  await sql`create index deliveries_dead on deliveries (id) where state = 'dead'`.execute(db);
  await sql`create index callbacks_results on callbacks (job_id) where status <> 2 and kind = 'callback'`.execute(
    db,
  );
  await sql`
    update deliveries set due_at = ${sql.lit(WAITS_FOR_EARLIER)}
    where state = 'pending' and exists (${earlierInJob})`.execute(db);
}

async function indexPending(db: Schema, name: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(name)
    .on('deliveries')
    .columns(columns)
    .where(sql.ref('state'), '=', sql`'pending'`)
    .execute();
}

async function createPaces(db: Schema): Promise<void> {
  await db.schema
    .createTable('paces')
    .addColumn('destination', 'text', (column) => column.primaryKey())
    .addColumn('next_at', 'bigint', required)
    .execute();
}

/** Versions before know neither. */
async function createAlertCauses(db: Schema): Promise<void> {
  await db.schema
    .createTable('alert_causes')
    .addColumn('cause', 'text', (column) => column.notNull().primaryKey())
    .addColumn('told_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('suppressed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('deliveries').addColumn('alerted_cause', 'text').execute();
}

/** The literal is `NO_LONGER_ROUTED` as it is today: a migration stays what it was. */
async function createProcesses(db: Schema): Promise<void> {
  await db.schema
    .createTable('processes')
    .addColumn('owner', 'text', (column) => column.notNull().primaryKey())
    .addColumn('config_hash', 'text', required)
    .addColumn('loaded_at', 'bigint', required)
    .addColumn('seen_at', 'bigint', required)
    .execute();
  await db.schema
    .createTable('channel_types')
    .addColumn('name', 'text', (column) => column.notNull().primaryKey())
    .addColumn('type', 'text', required)
    .execute();
  await sql`create index deliveries_unrouted on deliveries (id) where held_because = 'no longer routed'`.execute(
    db,
  );
}

/**
 * From here on a large body may stand in SQLite as bytes, which versions before cannot read: they refuse a ledger with a
 * migration that they do not know.
 */
async function createSweeps(db: Schema): Promise<void> {
  await db.schema
    .createTable('sweeps')
    .addColumn('sweep', 'text', (column) => column.notNull().primaryKey())
    .addColumn('looked_at', 'bigint', required)
    .execute();
  await db.schema.createIndex('alert_causes_by_age').on('alert_causes').column('told_at').execute();
}

/** What a ledger of the first version has had. */
export const FIRST_MIGRATION = '0001-ledger-tables';

/** By their names, in their order. */
const STEPS: Readonly<Record<string, (db: Schema, traits: DialectTraits) => Promise<void>>> = {
  [FIRST_MIGRATION]: async (db, traits) => {
    await createCallbacks(db, traits);
    await createDeliveries(db, traits);
    await createHistory(db, traits);
    await createRefused(db, traits);
  },
  '0002-delivery-order': async (db, traits) => {
    await orderDeliveries(db, traits);
    await createPaces(db);
  },
  '0003-alert-causes': (db) => createAlertCauses(db),
  '0004-running-configs': (db) => createProcesses(db),
  '0005-sweeps': (db) => createSweeps(db),
};

export const migrationNames: readonly string[] = Object.keys(STEPS);

export const NEWER_LEDGER =
  'the ledger was written by a newer version of Botbell, or by one before its first release: run that version, or start with another store.url';

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
    ? new Error(NEWER_LEDGER)
    : new Error(`the ledger could not be prepared: ${message}`, { cause: error });
}
