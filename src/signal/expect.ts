/** When a BOT's result is due, which result meets a due time, and when a due time is missed. */
import { Cron } from 'croner';
import { memoized } from '../time/display.ts';
import { DAY_MS, dayOf, instantOn, MOST_DAYS_AHEAD, NEVER } from './calendar.ts';
import type { Expectation } from './rules.ts';

/** What the ledger keeps of a BOT that a rule expects. */
export interface Expected {
  /** The rule by which `dueAt` was counted. */
  readonly rule: Expectation;
  /** The first due time that no result has met. */
  readonly dueAt: number;
  /** Whether a callback has come since the rule began to expect. */
  readonly hasCome: boolean;
  /** The due time that was told as missed; undefined: none since the last result. */
  readonly missed: number | undefined;
  /** Undefined: no result has come that is known of. */
  readonly lastResultAt: number | undefined;
}

/** The facts of a callback of the BOT. */
export interface Came {
  readonly at: number;
  readonly startedAt: number;
  readonly isResult: boolean;
}

/**
 * The first state of a BOT that a rule expects. Expecting begins with the config for a BOT that the rule names or that has
 * posted before, and for any other BOT with its first callback.
 */
export function beginToExpect(
  rule: Expectation,
  { at, hasCome, lastResultAt }: { readonly at: number } & Pick<Expected, 'hasCome' | 'lastResultAt'>,
): Expected {
  return { rule, dueAt: firstDue(rule, at, at + 1), hasCome, missed: undefined, lastResultAt };
}

/**
 * The state by the rule in force. An edited schedule changes only the due time, counted from `at`, but for one that is awaited and due by the
 * edited schedule, too; nor is a due time asked for again that the last result has met. An edited grace does not change it.
 */
export function underRule(rule: Expectation, expected: Expected, at: number): Expected {
  const { dueAt, lastResultAt } = expected;
  const isSameSchedule = isSameRule({ ...expected.rule, graceMs: 0 }, { ...rule, graceMs: 0 });
  const coming = firstDue(rule, isSameSchedule ? dueAt : at, at + 1);
  const next = firstDue(rule, coming, coming + 1);
  // A result meets no due time after the coming one, so a later `dueAt` dates from before the clock was set back.
  if (isSameSchedule) return { ...expected, rule, dueAt: dueAt <= next ? dueAt : coming };
  if ('everyMs' in rule) return { ...expected, rule, dueAt: coming };
  const isAwaited = dueAt <= at && firstDue(rule, dueAt, dueAt) === dueAt;
  const isMet = lastResultAt !== undefined && lastResultAt + rule.graceMs >= coming;
  return { ...expected, rule, dueAt: isAwaited ? dueAt : isMet ? next : coming };
}

/** Compares rules as they are stored, where a calendar is its key. */
export function isSameRule(one: Expectation, other: Expectation): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** @returns the state to keep, and the due time for which a result is late; undefined: it is not late */
export function withCallback(rule: Expectation, kept: Expected, came: Came) {
  const { at, isResult } = came;
  // A start meets no due time, and asking for one of a cron expression takes 0.1 ms.
  const expected = isResult || !isSameRule(rule, kept.rule) ? underRule(rule, kept, at) : kept;
  const isAnchor = 'everyMs' in rule && !expected.hasCome;
  const isMissed = at >= missedFrom(rule, expected);
  // The missed result is told soon; due times then count from the next callback.
  if (!isResult && isAnchor && isMissed) return { expected, lateFor: undefined };
  const dueAt = isAnchor ? firstDue(rule, at, at + 1) : expected.dueAt;
  if (!isResult) return { expected: { ...expected, dueAt, hasCome: true }, lateFor: undefined };
  const open = openAfter(rule, dueAt, came);
  return {
    expected: { rule, dueAt: open, hasCome: true, missed: undefined, lastResultAt: at },
    lateFor: expected.missed ?? (isMissed ? expected.dueAt : undefined),
  };
}

/** When the due time becomes missed, unless a result meets it; never if a missed one was already told. */
export function missedFrom({ graceMs }: Expectation, { dueAt, missed }: Expected): number {
  return missed === undefined ? Math.min(dueAt + graceMs + 1, NEVER) : NEVER;
}

/** The fault of a cron expression; `never`: no time is due; `fields`: it has too few or too many; undefined: it is valid. */
export function cronFault(cron: string): string | undefined {
  try {
    // Counted from the year 2200, an expression for a single date never comes.
    const due = firstDue({ cron, timezone: 'UTC', graceMs: 0 }, 0, Date.UTC(2200, 0));
    return due === NEVER ? 'never' : undefined;
  } catch (error) {
    // croner counts days and months from 0, so that it would quote another number than the expression has.
    const message = String(error).replace(/^\w*Error: (?:CronPattern: )?|(?<=for (?:day|month)): \d+$/g, '');
    return message.startsWith('invalid configuration format') ? 'fields' : message;
  }
}

/** The first due time that a result leaves open. It meets those from `graceMs` before it came to the next one, but none over `graceMs` after its start. */
function openAfter(rule: Expectation, dueAt: number, { at, startedAt }: Came): number {
  const { graceMs } = rule;
  const coming = firstDue(rule, dueAt, at);
  const met = Math.min(coming, startedAt + graceMs);
  return Math.max(dueAt, firstDue(rule, dueAt, Math.max(met + 1, at - graceMs)));
}

/**
 * The first due time from `from` on, or `NEVER`.
 * @param known any due time, or the time from which `every` counts
 */
function firstDue(rule: Expectation, known: number, from: number): number {
  if ('everyMs' in rule) return known + Math.ceil((from - known) / rule.everyMs) * rule.everyMs;
  const { calendar, timezone } = rule;
  let after = from - 1;
  for (let count = 0; count < MOST_DAYS_AHEAD; count += 1) {
    const due = cronOf(rule.cron, timezone).nextRun(new Date(after))?.getTime() ?? NEVER;
    const day = due === NEVER ? 0 : dayOf(due, timezone);
    if (due === NEVER || calendar?.has(day) !== false) return due;
    after = Math.max(due, instantOn(day + DAY_MS, 0, timezone) - 1);
  }
  return NEVER;
}

const cronOf = memoized(1000, (cron: string, timezone: string) => {
  return new Cron(cron, { timezone, mode: '5-or-6-parts', paused: true });
});
