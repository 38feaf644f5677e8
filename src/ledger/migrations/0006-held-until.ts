/** Until when deliveries are held back, and what is needed to say why. */
import { sql } from 'kysely';
import type { Step } from './migration.ts';

export const heldUntil: Step = async (db) => {
  await db.schema.alterTable('deliveries').addColumn('held_details', 'text').execute();
  await db.schema.alterTable('deliveries').addColumn('held_until', 'bigint').execute();
  await sql`create index deliveries_held on deliveries (held_until) where held_until is not null`.execute(db);
};
