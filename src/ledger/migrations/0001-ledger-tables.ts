/** Callbacks, their deliveries and history, and what was refused. */
import { type ColumnDefinitionBuilder, sql } from 'kysely';
import { type MigrationTraits, newTable, required, type Schema, type Step } from './migration.ts';

export const ledgerTables: Step = async (db, traits) => {
  await createCallbacks(db, traits);
  await createDeliveries(db, traits);
  await createHistory(db, traits);
  await createRefused(db, traits);
};

/** Goes with the row that it belongs to. */
const belongingTo = (key: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(key).onDelete('cascade');

/**
 * Whoever knows the identity knows the job, too, and one index for both costs half of two: identities are hashes, so each
 * new one would touch a page of its own.
 */
async function createCallbacks(db: Schema, traits: MigrationTraits): Promise<void> {
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

async function createDeliveries(db: Schema, traits: MigrationTraits): Promise<void> {
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
async function createHistory(db: Schema, traits: MigrationTraits): Promise<void> {
  await newTable(db, traits, 'history')
    .addColumn('callback_id', 'bigint', belongingTo('callbacks.id'))
    .addColumn('entry', 'text', required)
    .execute();
  await db.schema.createIndex('history_by_callback').on('history').column('callback_id').execute();
}

async function createRefused(db: Schema, traits: MigrationTraits): Promise<void> {
  await newTable(db, traits, 'refused')
    .addColumn('received_at', 'bigint', required)
    .addColumn('status', 'integer', required)
    .addColumn('detail', 'text', required)
    .addColumn('errors', 'text', required)
    .addColumn('remote_address', 'text', required)
    .addColumn('body', 'text', required)
    .execute();
}
