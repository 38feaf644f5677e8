/** Asks the rules about a callback that is new, by what the ledger knows of its BOT, and keeps what they go by from now on. */
import { type StatusCode, statusNameOf } from '../../callback/callback.ts';
import { beginToExpect, type Expected, missedFrom, withCallback } from '../../signal/expect.ts';
import { overdueAt } from '../../signal/overdue.ts';
import type { Expectation } from '../../signal/rules.ts';
import { withResult } from '../../signal/streak.ts';
import type { Tx } from '../database.ts';
import type { DecidedTarget, PlannedDelivery, Watched } from '../ledger.ts';
import { EXECUTING } from '../rows.ts';
import { type Asked, askRules } from './decisions.ts';
import { type Facts, keepFacts, lockFacts, NO_FACTS, withSuccessAt } from './facts.ts';
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

/** Whom it is told, and whom not for now, or not at all. */
export async function decideAll(tx: Tx, arrived: Arrived): Promise<readonly DecidedTarget[]> {
  const { status, botKey, callbackId, watched } = arrived;
  const lateFor = await expectNext(tx, arrived);
  if (status === EXECUTING && arrived.isFirstOfJob) await watchRun(tx, arrived);
  if (status === EXECUTING || !watched.isRemembered) {
    if (status === 0 && arrived.hasSnoozes) await endBySuccess(tx, botKey);
    return (await askRules(tx, askedOf(arrived, NO_FACTS, { row: undefined, lateFor }))).targets;
  }
  const facts = await lockFacts(tx, botKey, callbackId);
  const { streak, row } = withItsResult(facts, arrived);
  const isLatestSuccess = status === 0 && streak.results.at(-1)?.isError === false;
  if (isLatestSuccess && arrived.hasSnoozes) await endBySuccess(tx, botKey);
  const answers = await askRules(tx, askedOf(arrived, facts, { row, lateFor }));
  const told = { ...facts.told, ...answers.told };
  await keepFacts(tx, botKey, {
    streak,
    told: status === 0 ? withSuccessAt(told, arrived.startedAt) : told,
    lastId: Math.max(facts.lastId, callbackId),
  });
  return answers.targets;
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
