/** What is due, by destination and in the order of each job; and the pace of destinations. */
import { sql } from 'kysely';
import { type MigrationTraits, required, type Schema, type Step } from './migration.ts';

export const deliveryOrder: Step = async (db, traits) => {
  await orderDeliveries(db, traits);
  await createPaces(db);
};

/**
 * What is due is found by destination, in the order of its callbacks; what waits for an earlier delivery of its job is
 * not due at all until that one is through. Both from indexes that hold nothing but what is pending.
 */
async function orderDeliveries(db: Schema, traits: MigrationTraits): Promise<void> {
  await db.schema.alterTable('deliveries').addColumn('job_key', 'text').execute();
  await db.schema
    .alterTable('deliveries')
    .addColumn('waited_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('deliveries').addColumn('counts_from', 'bigint').execute();
  await fillJobKeys(db);
  if (traits.isShared) await fillJobKeysInserted(db);
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
    update deliveries set due_at = ${sql.lit(Number.MAX_SAFE_INTEGER)}
    where state = 'pending' and exists (
      select 1 from deliveries as earlier
      where earlier.state = 'pending' and earlier.job_key = deliveries.job_key
        and earlier.destination = deliveries.destination and earlier.callback_id < deliveries.callback_id
    )`.execute(db);
}

async function indexPending(db: Schema, name: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(name)
    .on('deliveries')
    .columns(columns)
    .where(sql.ref('state'), '=', sql`'pending'`)
    .execute();
}

async function fillJobKeys(db: Schema): Promise<void> {
  await sql`
    update deliveries set job_key = (
      select callbacks.job_id from callbacks where callbacks.id = deliveries.callback_id and callbacks.kind = 'callback'
    )
    where state <> 'delivered'`.execute(db);
}

/** While replicas are restarted one by one, those of the earlier version still insert deliveries without a job. */
async function fillJobKeysInserted(db: Schema): Promise<void> {
  await sql`
    create function deliveries_fill_job_key() returns trigger language plpgsql as $$
    begin
      if new.job_key is null then
        select callbacks.job_id into new.job_key from callbacks
        where callbacks.id = new.callback_id and callbacks.kind = 'callback';
      end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger deliveries_fill_job_key before insert on deliveries
    for each row execute function deliveries_fill_job_key()`.execute(db);
}

async function createPaces(db: Schema): Promise<void> {
  await db.schema
    .createTable('paces')
    .addColumn('destination', 'text', (column) => column.primaryKey())
    .addColumn('next_at', 'bigint', required)
    .execute();
}
