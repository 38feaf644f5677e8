/** How deliveries had ended before somebody did something about them. */
import type { Step } from './migration.ts';

export const endedBefore: Step = async (db) => {
  await db.schema.alterTable('actions').addColumn('ended_before', 'text').execute();
};
