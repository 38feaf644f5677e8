/** Rows of `callbacks` by the ids that people write. */
import sql, { join, type Sql } from 'sql-template-tag';
import { keysFor } from '../keys.ts';

/** @param botId as callbacks name it, or as the archive does */
export function isOfBot(botId: string): Sql {
  return sql`bot_key IN (${join(keysFor(botId))})`;
}

export function isOfJob(jobId: string): Sql {
  return sql`callbacks.job_key IN (${join(keysFor(jobId))})`;
}
