/** What people do: each action, redeliveries in bulk, and which deliveries were given back by them. */
import { sql } from 'kysely';
import { newTable, required, type Schema, type Step } from './migration.ts';

const zero = (column: Parameters<typeof required>[0]) => column.notNull().defaultTo(0);

export const actions: Step = async (db, traits) => {
  await db.schema.alterTable('deliveries').addColumn('is_bulk', 'integer', zero).execute();
  await db.schema.alterTable('deliveries').addColumn('bulk_id', 'bigint').execute();
  await db.schema.alterTable('deliveries').addColumn('given_back_at', 'bigint').execute();
  await indexDeliveries(db);
  await newTable(db, traits, 'actions')
    .addColumn('callback_id', 'bigint', (column) =>
      column.notNull().references('callbacks.id').onDelete('cascade'),
    )
    .addColumn('at', 'bigint', required)
    .addColumn('what', 'text', required)
    .addColumn('actor', 'text', required)
    .addColumn('note', 'text')
    .addColumn('delivery_ids', 'text', required)
    .addColumn('outcome', 'text')
    .addColumn('bulk_id', 'bigint')
    .addColumn('nonce', 'text', (column) => column.unique())
    .execute();
  await sql`create index actions_by_callback on actions (callback_id, id)`.execute(db);
  await newTable(db, traits, 'bulks')
    .addColumn('what', 'text', required)
    .addColumn('filter', 'text', required)
    .addColumn('actor', 'text', required)
    .addColumn('note', 'text')
    .addColumn('state', 'text', required)
    .addColumn('started_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .addColumn('stopped_by', 'text')
    .addColumn('looked_at', 'bigint', zero)
    .addColumn('until_id', 'bigint', required)
    .addColumn('given', 'bigint', zero)
    .addColumn('nonce', 'text', (column) => column.unique())
    .execute();
  await sql`create index bulks_running on bulks (id) where state = 'running'`.execute(db);
};

/** Of one destination, what was given back in bulk stands behind all else. */
async function indexDeliveries(db: Schema): Promise<void> {
  await sql`drop index deliveries_due`.execute(db);
  await sql`drop index deliveries_ended`.execute(db);
  await sql`create index deliveries_dead_of on deliveries (callback_id) where state = 'dead'`.execute(db);
  await sql`create index deliveries_held_of on deliveries (callback_id) where state = 'held'`.execute(db);
  await sql`
    create index deliveries_due on deliveries (destination, is_bulk, callback_id, due_at) where state = 'pending'`.execute(
    db,
  );
  await sql`
    create index deliveries_by_bulk on deliveries (bulk_id, id, state) where bulk_id is not null`.execute(db);
}
