/** How far the retention has come. */
import { required, type Step } from './migration.ts';

/**
 * From here on a large body may stand in SQLite as bytes, which versions before cannot read: they refuse a ledger with a
 * migration that they do not know.
 */
export const sweeps: Step = async (db) => {
  await db.schema
    .createTable('sweeps')
    .addColumn('sweep', 'text', (column) => column.notNull().primaryKey())
    .addColumn('looked_at', 'bigint', required)
    .execute();
  await db.schema.createIndex('alert_causes_by_age').on('alert_causes').column('told_at').execute();
};
