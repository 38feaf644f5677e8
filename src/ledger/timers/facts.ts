/** A BOT's results, and what each destination was told of them: kept while a rule needs them, and caught up when one begins to. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { ArchivedCallback } from '../archive/archive.ts';
import {
  NO_RESULTS,
  NOTHING_TOLD,
  type Streak,
  type ToldError,
  type ToldErrors,
  withResult,
  withSuccess,
  withToldError,
} from '../../signal/streak.ts';
import type { Tx } from '../database.ts';
import { EXECUTING, isSummaryPending } from '../deliveries/rows.ts';

export interface Facts {
  readonly streak: Streak;
  readonly told: Readonly<Record<string, ToldErrors>>;
  readonly lastId: number;
}

export const NO_FACTS: Facts = { streak: NO_RESULTS, told: {}, lastId: 0 };

export function lockFacts(tx: Tx, botKey: string, before: number): Promise<Facts> {
  const kept = sql`
    INSERT INTO streaks (bot_key, updated_at) VALUES (${botKey}, ${tx.now})
    ON CONFLICT (bot_key) DO UPDATE SET updated_at = excluded.updated_at RETURNING facts`;
  return current(tx, kept, botKey, before);
}

/** Locks nothing: for what would be decided about a callback that has not come. */
export function readFacts(tx: Tx, botKey: string): Promise<Facts> {
  return current(
    tx,
    sql`SELECT facts FROM streaks WHERE bot_key = ${botKey}`,
    botKey,
    Number.MAX_SAFE_INTEGER,
  );
}

/** The facts of a BOT of which none are kept, from its last results; without whom these were told. */
export async function factsFromRows(tx: Tx, botKey: string, before: number): Promise<Facts> {
  return (await caughtUp(tx, NO_FACTS, botKey, before)).facts;
}

async function current(tx: Tx, kept: Sql, botKey: string, before: number): Promise<Facts> {
  const row = await tx.first<{ facts: Facts | undefined }>(kept);
  const { facts, came } = await caughtUp(tx, row?.facts ?? NO_FACTS, botKey, before);
  return asTold(tx, facts, came);
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

/** Runs that started later than now did so by a clock that has been set right since: they count as started no later than the run that comes. */
export function withoutAhead(facts: Facts, startedAt: number, now: number): Facts {
  const corrected = <Told extends { readonly startedAt: number }>(all: readonly Told[]) =>
    all.map((each) => (each.startedAt > now ? { ...each, startedAt } : each));
  const { results, before } = facts.streak;
  if (!results.some((each) => each.startedAt > now)) return facts;
  const told = Object.entries(facts.told).map(
    ([destination, known]) => [destination, { ...known, errors: corrected(known.errors) }] as const,
  );
  const inOrder = corrected(results).toSorted((a, b) => a.startedAt - b.startedAt);
  return { ...facts, streak: { results: inOrder, before }, told: Object.fromEntries(told) };
}

const MOST_CAUGHT_UP = 200;

type Result = Pick<ArchivedCallback, 'id' | 'status' | 'startedAt' | 'receivedAt'>;

/**
 * Adds results that the facts lack. @param before the id of the callback that is being admitted
 * @returns `came`: the errors among them that no success has ended. Their texts are not looked up, so the next error counts as a different one
 */
async function caughtUp(tx: Tx, { streak, told, lastId }: Facts, botKey: string, before: number) {
  const results = await tx.all<Result>(sql`
    SELECT id, status, CASE WHEN started_at < received_at THEN started_at ELSE received_at END AS started_at, received_at FROM callbacks
    WHERE kind = 'callback' AND bot_key = ${botKey} AND id > ${lastId} AND id < ${before} AND status <> ${EXECUTING}
    ORDER BY id DESC LIMIT ${MOST_CAUGHT_UP}`);
  let facts: Facts = { streak, told, lastId };
  let came = NOTHING_TOLD;
  for (const { id, status, startedAt, receivedAt: at } of results.toReversed()) {
    const next = withResult(facts.streak, { startedAt, isError: status === 1 });
    const after = status === 0 ? withSuccessAt(facts.told, startedAt) : facts.told;
    facts = { streak: next.streak, told: after, lastId: id };
    came =
      status === 0
        ? withSuccess(came, startedAt)
        : withToldError(came, { id, startedAt, at, likeness: '' }, next.row);
  }
  return { facts, came: came.errors };
}

/** The destinations that were told, or are to be, of errors of the BOT that came since then and before the callback. */
export async function toldSince(
  tx: Tx,
  { botKey, since, before }: { readonly botKey: string; readonly since: number; readonly before: number },
): Promise<readonly string[]> {
  const rows = await tx.all<{ destination: string }>(sql`
    SELECT DISTINCT destination FROM callbacks JOIN deliveries ON deliveries.callback_id = callbacks.id
    WHERE kind = 'callback' AND bot_key = ${botKey} AND status = 1 AND received_at >= ${since} AND callbacks.id < ${before}
      AND NOT ${IS_UNTOLD}`);
  return rows.map(({ destination }) => destination);
}

/** An error held by `mute`, a snooze or a burst counts as told, also while a summary of it waits; a dead letter, and what was dismissed or is no longer routed, does not. */
const IS_UNTOLD = sql`(state IN ('dead', 'held') AND held_until IS NULL AND NOT ${isSummaryPending('deliveries')})`;

/** Corrects which destinations were told of the kept errors that no success has ended, by what has become of their deliveries. */
async function asTold(tx: Tx, facts: Facts, came: readonly ToldError[]): Promise<Facts> {
  const errors = [...Object.values(facts.told).flatMap((each) => each.errors), ...came];
  if (errors.length === 0) return facts;
  const known = new Map(errors.map((error) => [error.id, error]));
  const rows = await tx.all<{ callbackId: number; destination: string; isUntold: boolean }>(sql`
    SELECT callback_id, destination, ${IS_UNTOLD} AS is_untold FROM deliveries
    WHERE callback_id IN (${join([...known.keys()])}) ORDER BY callback_id`);
  const told: Record<string, ToldErrors> = { ...facts.told };
  for (const { callbackId, destination, isUntold } of rows) {
    const { errors: before, heldBack } = told[destination] ?? NOTHING_TOLD;
    const others = { errors: before.filter(({ id }) => id !== callbackId), heldBack };
    const error = isUntold ? undefined : known.get(callbackId);
    told[destination] = error === undefined ? others : withToldError(others, error, { isOver: false });
  }
  return { ...facts, told };
}
