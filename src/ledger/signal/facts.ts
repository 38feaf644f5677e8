/** A BOT's results, and what each destination was told of them: kept while a rule needs them, and caught up when one begins to. */
import sql, { join } from 'sql-template-tag';
import type { StatusCode } from '../../callback/callback.ts';
import {
  NO_RESULTS,
  NOTHING_TOLD,
  type Streak,
  type ToldErrors,
  withResult,
  withSuccess,
  withToldError,
} from '../../signal/streak.ts';
import type { Tx } from '../database.ts';
import { EXECUTING } from '../rows.ts';

export interface Facts {
  readonly streak: Streak;
  readonly told: Readonly<Record<string, ToldErrors>>;
  readonly lastId: number;
}

export const NO_FACTS: Facts = { streak: NO_RESULTS, told: {}, lastId: 0 };

/** Locks the facts until the transaction ends. */
export async function lockFacts(tx: Tx, botKey: string, before: number): Promise<Facts> {
  const row = await tx.first<{ facts: Facts | undefined }>(sql`
    INSERT INTO streaks (bot_key, updated_at) VALUES (${botKey}, ${tx.now})
    ON CONFLICT (bot_key) DO UPDATE SET updated_at = excluded.updated_at RETURNING facts`);
  return caughtUp(tx, row?.facts ?? NO_FACTS, botKey, before);
}

export async function keepFacts(tx: Tx, botKey: string, facts: Facts): Promise<void> {
  await tx.all(sql`UPDATE streaks SET facts = ${facts} WHERE bot_key = ${botKey}`);
}

/** A success counts at every destination, even where it was not told. */
export function withSuccessAt(told: Facts['told'], startedAt: number): Facts['told'] {
  const after: Record<string, ToldErrors> = {};
  for (const [destination, known] of Object.entries(told)) after[destination] = withSuccess(known, startedAt);
  return after;
}

const MOST_CAUGHT_UP = 200;

interface Result {
  readonly id: number;
  readonly status: StatusCode;
  readonly startedAt: number;
  readonly receivedAt: number;
}

/** Adds results that the facts lack. @param before the id of the callback that is being admitted */
export async function caughtUp(tx: Tx, facts: Facts, botKey: string, before: number): Promise<Facts> {
  const results = await tx.all<Result>(sql`
    SELECT id, status, started_at, received_at FROM callbacks
    WHERE kind = 'callback' AND bot_key = ${botKey} AND id > ${facts.lastId} AND id < ${before} AND status <> ${EXECUTING}
    ORDER BY id DESC LIMIT ${MOST_CAUGHT_UP}`);
  const errors = results.filter(({ status }) => status === 1).map(({ id }) => id);
  const destinations = await toldBy(tx, errors);
  return results.reduceRight(
    (known, result) => withCaughtUp(known, result, destinations.get(result.id) ?? []),
    facts,
  );
}

/** The destinations told of each error; an error held by `mute`, a snooze or a burst counts as told. */
async function toldBy(tx: Tx, errors: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> {
  if (errors.length === 0) return new Map();
  const rows = await tx.all<{ callbackId: number; destination: string }>(sql`
    SELECT callback_id, destination FROM deliveries WHERE callback_id IN (${join(errors)})
      AND (state IN ('pending', 'delivered') OR held_until IS NOT NULL OR summary_id IS NOT NULL)`);
  const told = new Map<number, string[]>();
  for (const { callbackId, destination } of rows)
    told.set(callbackId, [...(told.get(callbackId) ?? []), destination]);
  return told;
}

/** An error's text is not looked up, so the next error counts as a different one. */
function withCaughtUp(
  { streak, told }: Facts,
  { id: lastId, status, startedAt, receivedAt: at }: Result,
  destinations: readonly string[],
): Facts {
  const { streak: next, row } = withResult(streak, { startedAt, isError: status === 1 });
  if (status === 0) return { streak: next, told: withSuccessAt(told, startedAt), lastId };
  const error = { startedAt, at, likeness: '' };
  const after: Record<string, ToldErrors> = { ...told };
  for (const destination of destinations)
    after[destination] = withToldError(told[destination] ?? NOTHING_TOLD, error, row);
  return { streak: next, told: after, lastId };
}
