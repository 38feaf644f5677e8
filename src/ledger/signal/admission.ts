/** Asks the rules about a callback that is new, by what the ledger knows of its BOT, and keeps what they go by from now on. */
import sql from 'sql-template-tag';
import { type StatusCode, statusNameOf } from '../../callback/callback.ts';
import { beginToExpect, type Expected, missedFrom, withCallback } from '../../signal/expect.ts';
import { overdueAt } from '../../signal/overdue.ts';
import type { Expectation } from '../../signal/rules.ts';
import { NO_RESULTS, type Streak, withResult } from '../../signal/streak.ts';
import { type Told, withSuccess } from '../../signal/told.ts';
import type { Tx } from '../database.ts';
import type { DecidedTarget, PlannedDelivery, Watched } from '../ledger.ts';
import { EXECUTING } from '../rows.ts';
import { type Asked, askRules } from './decisions.ts';
import { endBySuccess } from './snoozes.ts';
import { beginTimers, lockTimer, writeTimer } from './timers.ts';

/** What rules are asked about. */
export interface Arriving {
  readonly jobId: string;
  readonly botKey: string;
  readonly botId: string;
  readonly status: StatusCode;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly planned: readonly PlannedDelivery[];
  readonly watched: Watched;
}

/** What comes of a new callback. */
export interface Arrived extends Arriving {
  readonly callbackId: number;
  /** There are snoozes that have not ended. */
  readonly hasSnoozes: boolean;
  /** Nothing of its job has come before. */
  readonly isFirstOfJob: boolean;
}

/** What is known of a BOT, and of what each destination was told of it. */
export interface Facts {
  readonly streak: Streak;
  readonly told: Readonly<Record<string, Told>>;
}

export const NO_FACTS: Facts = { streak: NO_RESULTS, told: {} };

/** Whom it is told, and whom not for now, or not at all. */
export async function decideAll(tx: Tx, arrived: Arrived): Promise<readonly DecidedTarget[]> {
  const { status, botKey } = arrived;
  const lateFor = await expectNext(tx, arrived);
  if (status === EXECUTING) {
    if (arrived.isFirstOfJob) await watchRun(tx, arrived);
    return (await askRules(tx, askedOf(arrived, NO_FACTS, { row: undefined, lateFor }))).targets;
  }
  const facts = await lockFacts(tx, botKey);
  const { streak, row } = withItsResult(facts, arrived);
  const isLatestSuccess = status === 0 && streak.results.at(-1)?.isError === false;
  if (isLatestSuccess && arrived.hasSnoozes) await endBySuccess(tx, botKey);
  const { targets, told } = await askRules(tx, askedOf(arrived, facts, { row, lateFor }));
  await keepFacts(tx, arrived, { streak, told: { ...facts.told, ...told } });
  return targets;
}

export function withItsResult(
  { streak }: Facts,
  { startedAt, status }: Pick<Arrived, 'startedAt' | 'status'>,
) {
  return withResult(streak, { startedAt, isError: status === 1 });
}

export function askedOf(
  {
    jobId,
    botId,
    botKey,
    status,
    startedAt,
    receivedAt,
    planned,
    watched,
    hasSnoozes,
  }: Arriving & Pick<Arrived, 'hasSnoozes'>,
  { told }: Facts,
  { row, lateFor }: Pick<Asked['subject'], 'row'> & Pick<Asked, 'lateFor'>,
): Asked {
  const { timezone, likeness } = watched;
  const subject = { botId, status: statusNameOf({ status }), startedAt, row, likeness };
  return { subject, receivedAt, jobId, botKey, planned, timezone, told, lateFor, hasSnoozes };
}

/** Nobody else writes them before this transaction ends. */
async function lockFacts(tx: Tx, botKey: string): Promise<Facts> {
  const row = await tx.first<{ facts: Facts | undefined }>(sql`
    INSERT INTO streaks (bot_key, updated_at) VALUES (${botKey}, ${tx.now})
    ON CONFLICT (bot_key) DO UPDATE SET updated_at = excluded.updated_at RETURNING facts`);
  return row?.facts ?? NO_FACTS;
}

/** A success is one everywhere, whoever is told of it. */
async function keepFacts(tx: Tx, { botKey, status, startedAt }: Arrived, facts: Facts): Promise<void> {
  const told = Object.entries(facts.told).map(([destination, known]) => [
    destination,
    status === 0 ? withSuccess(known, startedAt) : known,
  ]);
  const kept: Facts = { ...facts, told: Object.fromEntries(told) as Facts['told'] };
  await tx.all(sql`UPDATE streaks SET facts = ${kept} WHERE bot_key = ${botKey}`);
}

/** What a timer of kind `expect` knows. */
export interface ExpectedBot {
  readonly botId: string;
  readonly expected: Expected;
}

/** @returns the due times that it is late for, by the keys of their timers */
async function expectNext(tx: Tx, arrived: Arrived): Promise<ReadonlyMap<string, number>> {
  const { watched, botId } = arrived;
  const late = new Map<string, number>();
  for (const { key, rule } of watched.expected.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const known = await lockTimer<ExpectedBot>(tx, key, 'expect');
    const { expected: next, lateFor } = expectedAfter(rule, known, arrived);
    if (lateFor !== undefined) late.set(key, lateFor);
    await writeTimer(tx, { key, dueAt: missedFrom(rule, next), data: { botId, expected: next } });
  }
  return late;
}

/** @param known undefined: the rule begins to expect the BOT now */
export function expectedAfter(
  rule: Expectation,
  known: ExpectedBot | undefined,
  { status, startedAt, receivedAt: at, watched: { timezone } }: Arriving,
) {
  const before = known?.expected ?? beginToExpect(rule, { at, hasCome: false, timezone });
  return withCallback(rule, before, { at, startedAt, isResult: status !== EXECUTING }, timezone);
}

/** What a timer of kind `overdue` knows. */
export interface OpenRunTimer {
  readonly callbackId: number;
  readonly overdueMs: number;
}

async function watchRun(tx: Tx, { callbackId, watched, ...run }: Arrived): Promise<void> {
  const timers = watched.overdueMs.map((overdueMs) => ({
    key: `overdue ${callbackId} ${overdueMs}`,
    kind: 'overdue' as const,
    dueAt: overdueAt(overdueMs, run),
    data: { callbackId, overdueMs } satisfies OpenRunTimer,
  }));
  await beginTimers(tx, timers);
}
