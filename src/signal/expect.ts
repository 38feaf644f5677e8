/** When a BOT's result is due, which result meets that, and what becomes of one that does not come. */
import { Cron } from 'croner';
import type { Expectation } from './rules.ts';

/** What is kept of a BOT that a rule expects. */
export interface Expected {
  /** The first due time that no result has met. */
  readonly dueAt: number;
  /** Whether a callback has come since the rule began to expect. */
  readonly hasCome: boolean;
  /** The due time that nobody met and that was told, until a result comes. */
  readonly missed: number | undefined;
}

/** A callback of the BOT, as it comes. */
export interface Came {
  readonly at: number;
  readonly startedAt: number;
  readonly isResult: boolean;
}

/** The end of time, as dates go. */
const NEVER = 8.64e15;

/**
 * A rule begins to expect a BOT: one that it names, or that has been heard of, when the config begins with it; another one when
 * its first callback comes.
 */
export function beginToExpect(
  rule: Expectation,
  { at, hasCome, timezone }: { readonly at: number; readonly hasCome: boolean; readonly timezone: string },
): Expected {
  return { dueAt: firstDue(rule, at, at + 1, timezone), hasCome, missed: undefined };
}

/** @returns what is kept from now on, and the due time that a result is late for; undefined where it is not */
export function withCallback(
  rule: Expectation,
  expected: Expected,
  came: Came,
  timezone: string,
): { readonly expected: Expected; readonly lateFor: number | undefined } {
  const { at, isResult } = came;
  const isAnchor = 'everyMs' in rule && !expected.hasCome;
  const { dueAt } = isAnchor ? beginToExpect(rule, { at, hasCome: true, timezone }) : expected;
  if (!isResult) return { expected: { ...expected, dueAt, hasCome: true }, lateFor: undefined };
  const next = isAnchor ? dueAt : Math.max(dueAt, openAfter(rule, dueAt, came, timezone));
  return {
    expected: { dueAt: next, hasCome: true, missed: undefined },
    lateFor: expected.missed ?? (at > expected.dueAt + rule.graceMs ? expected.dueAt : undefined),
  };
}

/** The first moment at which a due time that nobody met is missed; one that was told is not told again. */
export function missedFrom({ graceMs }: Expectation, { dueAt, missed }: Expected): number {
  return missed === undefined ? Math.min(dueAt + graceMs + 1, NEVER) : NEVER;
}

/** It has been told that nobody met it. */
export function withMissed(expected: Expected): Expected {
  return { ...expected, missed: expected.dueAt };
}

/** What is wrong with a cron expression; undefined where nothing is. */
export function cronFault(cron: string): string | undefined {
  try {
    // A single date is past by then.
    const due = firstDue({ cron, graceMs: 0 }, 0, Date.UTC(2200, 0), 'UTC');
    return due === NEVER ? 'it never comes' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  }
}

/** The first due time that a result leaves open: it meets those from a grace ago to the next one, but none for which its run began too early. */
function openAfter(rule: Expectation, dueAt: number, { at, startedAt }: Came, timezone: string): number {
  const { graceMs } = rule;
  const met = Math.min(firstDue(rule, dueAt, at, timezone), startedAt + graceMs);
  return firstDue(rule, dueAt, Math.max(met + 1, at - graceMs), timezone);
}

/**
 * The first due time from `from` on, or the end of time.
 * @param known any due time, or when the counting began
 */
function firstDue(rule: Expectation, known: number, from: number, timezone: string): number {
  if ('everyMs' in rule) return known + Math.ceil((from - known) / rule.everyMs) * rule.everyMs;
  const cron = new Cron(rule.cron, { timezone, mode: '5-or-6-parts', paused: true });
  return cron.nextRun(new Date(from - 1))?.getTime() ?? NEVER;
}
