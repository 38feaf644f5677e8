/** Applies the rules to an arriving callback or notice. Pure, so that a decision can be foretold, too. */
import { type StatusCode, statusNameOf } from '../../callback/callback.ts';
import {
  type BurstWindow,
  decide,
  type Decision,
  type DestinationFacts,
  type Subject,
} from '../../signal/decide.ts';
import { beginToExpect, type Expected, missedFrom, withCallback } from '../../signal/expect.ts';
import type { Snooze } from '../../signal/rules.ts';
import { NOTHING_TOLD, type ToldErrors, withResult } from '../../signal/streak.ts';
import type { Arrival, PlannedDelivery, Watched } from '../ledger.ts';
import { EXECUTING } from '../deliveries/rows.ts';
import { type Facts, NO_FACTS, withoutAhead, withSuccessAt } from './facts.ts';
import type { Timer } from './timers.ts';

export interface Arriving extends Pick<Arrival, 'startedAt' | 'likeness' | 'unmet'> {
  /** 0: it has none yet. */
  readonly callbackId: number;
  readonly jobId: string;
  readonly botKey: string;
  readonly botId: string;
  readonly botName: string;
  /** Undefined for Botbell's own notices, such as `overdue` and `missed`. */
  readonly status: StatusCode | undefined;
  readonly receivedAt: number;
  readonly planned: readonly PlannedDelivery[];
  readonly watched: Watched;
  /** Only `mute`, snoozes and bursts are asked. */
  readonly isWanted?: boolean;
}

export interface KnownFacts {
  readonly facts: Facts;
  readonly snoozes: readonly Snooze[];
  /** Data of timers, by key: bursts of destinations, expectations of the BOT. */
  readonly timers: Readonly<Record<string, unknown>>;
}

export const NOTHING_KNOWN: KnownFacts = { facts: NO_FACTS, snoozes: [], timers: {} };

/** The data of a timer of kind `expect`. */
export interface ExpectedBot {
  readonly botId: string;
  /** '' if no callback of the BOT has come yet. */
  readonly botName: string;
  readonly expected: Expected;
}

export interface Foreseen {
  readonly target: PlannedDelivery;
  /** Undefined: no rules are asked, and it is sent. */
  readonly decision: Decision | undefined;
  readonly snoozes: readonly Snooze[];
}

/** @returns decisions in the order of the planned deliveries; `ended`: ids of snoozes that end; facts and timers to store */
export function judge(arriving: Arriving, { facts: kept, snoozes, timers }: KnownFacts, now: number) {
  const { botId, status } = arriving;
  const startedAt = startOf(arriving);
  const facts = withoutAhead(kept, startedAt, now);
  const { streak, row } = isResult(status)
    ? withResult(facts.streak, { startedAt, isError: status === 1 })
    : { streak: facts.streak, row: undefined };
  // Neither a success whose run began before that of the last error ends a snooze, nor one that is routed anew.
  const isWell = status === 0 && arriving.isWanted !== true && streak.results.at(-1)?.isError === false;
  const ended = snoozes.filter((snooze) => isWell && snooze.untilSuccess && snooze.botId === botId);
  const expectations = expectationsAfter(arriving, timers);
  const known = { facts, snoozes: snoozes.filter((snooze) => !ended.includes(snooze)), timers };
  const foreseen = foresee(arriving, { ...known, row, lateFor: expectations.lateFor }, now);
  return {
    foreseen,
    ended: ended.map(({ id }) => id),
    facts: { ...facts, streak, told: toldAfter(arriving, facts.told, foreseen) },
    timers: [...expectations.timers, ...foreseen.flatMap(windowAfter)],
  };
}

/** When its run began: at the latest when it came, since the clock of a machine that runs BOTs may be ahead. */
export function startOf({ startedAt, receivedAt }: Pick<Arriving, 'startedAt' | 'receivedAt'>): number {
  return Math.min(startedAt, receivedAt);
}

export function isResult(status: StatusCode | undefined): boolean {
  return status !== undefined && status !== EXECUTING;
}

/** The BOT's expectations after this callback, and the due times that it is late for, by the keys of their timers. */
function expectationsAfter(arriving: Arriving, known: KnownFacts['timers']) {
  const { botId, botName, status, receivedAt: at, watched } = arriving;
  const startedAt = startOf(arriving);
  const lateFor = new Map<string, number>();
  const timers = watched.expected.map(({ key, rule }): Timer<ExpectedBot> => {
    const before = known[key] as ExpectedBot | undefined;
    const begun = before?.expected ?? beginToExpect(rule, { at, hasCome: false, lastResultAt: undefined });
    const after = withCallback(rule, begun, { at, startedAt, isResult: isResult(status) });
    if (after.lateFor !== undefined) lateFor.set(key, after.lateFor);
    const dueAt = missedFrom(rule, after.expected);
    return { key, kind: 'expect', dueAt, data: { botId, botName, expected: after.expected } };
  });
  return { timers, lateFor };
}

type KnownNow = KnownFacts & Pick<Subject, 'row'> & Pick<DestinationFacts, 'lateFor'>;

function foresee(arriving: Arriving, known: KnownNow, now: number): readonly Foreseen[] {
  const { callbackId: id, botId, status, planned, likeness, unmet, isWanted = false } = arriving;
  const startedAt = startOf(arriving);
  const { row, snoozes, facts, timers, lateFor } = known;
  const { timezone } = arriving.watched;
  const statusName = status === undefined ? undefined : statusNameOf({ status });
  const subject = { id, botId, status: statusName, startedAt, row, likeness, unmet, isWanted };
  return planned.map((target) => {
    const { destination, asked, burst } = target;
    const window = timers[burstKey(destination)] as BurstWindow | undefined;
    const told = facts.told[destination] ?? NOTHING_TOLD;
    const here = { destination, burst, window, snoozes, lateFor, told };
    const decision = asked && decide(subject, asked, here, { now, timezone });
    return { target, decision, snoozes };
  });
}

/** What each destination has been told of the BOT. A success counts everywhere, even where it is not told. */
function toldAfter(arriving: Arriving, before: Facts['told'], foreseen: readonly Foreseen[]) {
  const told: Record<string, ToldErrors> = { ...before };
  for (const { target, decision } of foreseen)
    if (decision !== undefined && decision.told !== NOTHING_TOLD) told[target.destination] = decision.told;
  return arriving.status === 0 ? withSuccessAt(told, startOf(arriving)) : told;
}

export function burstKey(destination: string): string {
  return `burst ${destination}`;
}

/** @param key as `burstKey` gives it */
export function destinationOfBurst(key: string): string {
  return key.slice('burst '.length);
}

function windowAfter({ target: { destination, burst }, decision }: Foreseen): Timer<BurstWindow>[] {
  const window = decision?.window;
  if (burst === undefined || window === undefined) return [];
  return [{ key: burstKey(destination), kind: 'burst', dueAt: window.startedAt + burst.perMs, data: window }];
}
