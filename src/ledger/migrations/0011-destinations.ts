/** How each destination did last, and which configs have been in force since when. */
import { newTable, required, type Step } from './migration.ts';

export const destinations: Step = async (db, traits) => {
  await db.schema
    .createTable('destinations')
    .addColumn('destination', 'text', (column) => column.notNull().primaryKey())
    .addColumn('last_delivered_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('last_failed_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('error_class', 'text')
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('median_ms', 'bigint')
    .addColumn('slow_ms', 'bigint')
    .execute();
  await newTable(db, traits, 'loaded_configs')
    .addColumn('hash', 'text', required)
    .addColumn('loaded_at', 'bigint', required)
    .execute();
};
