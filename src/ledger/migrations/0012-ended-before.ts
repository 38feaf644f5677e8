/** How deliveries had ended before somebody did something about them, and what a stopped redelivery has withdrawn. */
import { sql } from 'kysely';
import type { Step } from './migration.ts';

export const endedBefore: Step = async (db) => {
  await db.schema.alterTable('actions').addColumn('ended_before', 'text').execute();
  await db.schema
    .alterTable('bulks')
    .addColumn('withdrawn', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('bulks').addColumn('stop_note', 'text').execute();
  await sql`create index bulks_stopping on bulks (id) where state = 'stopping'`.execute(db);
  await sql`
    create index deliveries_pending_of_bulk on deliveries (bulk_id, id)
    where state = 'pending' and bulk_id is not null`.execute(db);
};
