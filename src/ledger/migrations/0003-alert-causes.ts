/** Causes of alerts, each told once an hour. */
import type { Step } from './migration.ts';

/** Versions before know neither. */
export const alertCauses: Step = async (db) => {
  await db.schema
    .createTable('alert_causes')
    .addColumn('cause', 'text', (column) => column.notNull().primaryKey())
    .addColumn('told_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('suppressed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('deliveries').addColumn('alerted_cause', 'text').execute();
};
