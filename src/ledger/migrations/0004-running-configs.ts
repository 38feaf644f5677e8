/** Processes with the configs that they run with, and the channels of all of them. */
import { sql } from 'kysely';
import { required, type Step } from './migration.ts';

/** The literal is `NO_LONGER_ROUTED` as it is today: a migration stays what it was. */
export const runningConfigs: Step = async (db) => {
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
};
