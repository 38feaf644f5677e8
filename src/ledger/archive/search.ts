/** What a text in a search box means: a job by its id, else BOTs by name, id or glob, else jobs whose ids begin so. */
import sql, { join, type Sql } from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import type { Tx } from '../database.ts';
import { botKeysWhere } from './bots.ts';
import { isOfJob } from './named.ts';

/** More have too many callbacks to be looked up one by one. */
const MOST_BOTS = 20;

/** Conditions on rows of `callbacks`. */
export interface Sought {
  readonly condition: Sql;
  /** All that the condition finds, each part by an index; none: it is looked for among the newest. */
  readonly indexed: readonly Sql[];
}

export async function soughtBy(tx: Tx, search: string): Promise<Sought> {
  const ofJob = isOfJob(search);
  const [job] = await tx.all(sql`SELECT id FROM callbacks WHERE ${ofJob} LIMIT 1`);
  if (job !== undefined) return { condition: ofJob, indexed: [ofJob] };
  const text = cleanText(search).trim();
  const isNamed = isLike(text.toLowerCase());
  const bots = await botKeysWhere(tx, isNamed, MOST_BOTS + 1);
  if (bots.length > MOST_BOTS) return { condition: isNamed, indexed: [] };
  if (bots.length > 0) {
    const indexed = bots.map((key) => sql`bot_key = ${key}`);
    return { condition: sql`bot_key IN (${join(bots)})`, indexed };
  }
  return {
    condition: sql`substr(callbacks.job_key, 1, length(CAST(${text} AS TEXT))) = ${text}`,
    indexed: [],
  };
}

/** A part of a BOT's id or name; with an asterisk, the whole. */
function isLike(text: string): Sql {
  const literal = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
  const pattern = text.includes('*') ? literal.replaceAll('*', '%') : `%${literal}%`;
  const escape = sql`ESCAPE '\\'`;
  return sql`(lower(bot_key) LIKE ${pattern} ${escape} OR lower(bot_name) LIKE ${pattern} ${escape})`;
}
