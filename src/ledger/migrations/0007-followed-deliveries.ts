/** What later messages of a job may refer to, found by its job and destination. */
import { sql } from 'kysely';
import type { Step } from './migration.ts';

/** Only what is marked stands in the index, so that all else costs nothing. */
export const followedDeliveries: Step = async (db) => {
  await db.schema.alterTable('deliveries').addColumn('is_followed', 'integer').execute();
  await sql`
    create index deliveries_followed on deliveries (job_key, destination, callback_id)
    where is_followed = 1`.execute(db);
};
