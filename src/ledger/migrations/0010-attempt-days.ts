/** How many attempts of each day came to what. */
import { required, type Step } from './migration.ts';

export const attemptDays: Step = async (db) => {
  await db.schema
    .createTable('attempt_days')
    .addColumn('day', 'text', required)
    .addColumn('outcome', 'text', required)
    .addColumn('attempts', 'bigint', required)
    .addPrimaryKeyConstraint('attempt_days_once', ['day', 'outcome'])
    .execute();
};
