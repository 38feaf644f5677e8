/** What people ask for: callbacks by BOT, by job, by destination and by what became of them; each BOT, and each of its days. */
import { sql } from 'kysely';
import { required, type Step } from './migration.ts';

const zero = (column: Parameters<typeof required>[0]) => column.notNull().defaultTo(0);

/** Callbacks that are there are counted after the start, a few at a time: how far down that has come is a sweep. */
export const archive: Step = async (db, traits) => {
  await db.schema.alterTable('callbacks').addColumn('elapsed_time', 'bigint').execute();
  await db.schema.alterTable('callbacks').addColumn('about', 'bigint').execute();
  await db.schema
    .createTable('bot_days')
    .addColumn('bot_id', 'text', required)
    .addColumn('day', 'text', required)
    .addColumn('bot_name', 'text', required)
    .addColumn('last_callback_id', 'bigint', required)
    .addColumn('last_received_at', 'bigint', zero)
    .addColumn('last_succeeded_at', 'bigint', zero)
    .addColumn('last_failed_at', 'bigint', zero)
    .addColumn('succeeded', 'bigint', zero)
    .addColumn('failed', 'bigint', zero)
    .addColumn('started', 'bigint', zero)
    .addColumn('retries', 'bigint', zero)
    .addColumn('elapsed_time', 'bigint', zero)
    .addPrimaryKeyConstraint('bot_days_once', ['bot_id', 'day'])
    // In SQLite its key is the table itself: each callback writes a page less.
    .modifyEnd(traits.isShared ? sql`` : sql`without rowid`)
    .execute();
  await sql`create index bot_days_by_day on bot_days (day, bot_id)`.execute(db);
  // Longer ones would not fit into an index of PostgreSQL.
  await sql`create index callbacks_by_bot on callbacks (substr(bot_id, 1, 200), id)`.execute(db);
  await sql`create index callbacks_by_job on callbacks (job_id, status, id) where kind = 'callback'`.execute(
    db,
  );
  await sql`drop index callbacks_results`.execute(db);
  await sql`create index callbacks_about on callbacks (about) where about is not null`.execute(db);
  await sql`
    create index deliveries_ended on deliveries (state, callback_id) where state = 'dead' or state = 'held'`.execute(
    db,
  );
  await sql`
    insert into sweeps (sweep, looked_at)
    select 'uncounted', max(id) from callbacks having max(id) is not null`.execute(db);
};
