/** Asks the rules about an arriving callback or notice, by what the ledger knows of its BOT, and stores what changes by it. What applies them (`applyRules`) is pure, so that a decision can be foretold, too. */
import type { Tx } from '../database.ts';
import { keyOf } from '../callbacks/keys.ts';
import type { Arrival, DecidedTarget, DeliveryRecord, PlannedDelivery, Watched } from '../ledger.ts';
import { EXECUTING, IS_OF_JOB } from '../deliveries/rows.ts';
import {
  type Facts,
  factsFromRows,
  keepFacts,
  lockFacts,
  NO_FACTS,
  readFacts,
  withoutAhead,
  withSuccessAt,
} from './facts.ts';
import { endSnoozes, lockTimers, openSnoozes, putTimers, readTimers, type KnownTimer } from './timers.ts';
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
import sql, { join } from 'sql-template-tag';
import { type Receipt, ROOT_GONE } from '../../channels/channel.ts';

/** A callback or notice of which only `mute`, snoozes and bursts are asked. */
export type HoldQuestion = Pick<Arriving, 'botId' | 'status' | 'planned'> & Pick<Watched, 'timezone'>;

export function decideHolds(tx: Tx, wanted: HoldQuestion): Promise<readonly DecidedTarget[]> {
  return decideTargets(tx, { ...asArriving(wanted, tx.now), hasSnoozes: true });
}

export function asArriving({ timezone, ...wanted }: HoldQuestion, now: number): Arriving {
  const about = { ...wanted, jobId: '', botKey: keyOf(wanted.botId), botName: '', isNeverLetGo: true };
  const nothing = { callbackId: 0, likeness: '', unmet: [], startedAt: now, receivedAt: now };
  const watched = { timezone, isRemembered: false, expected: [], overdueMs: [] };
  return { ...about, ...nothing, watched };
}

type Question = Arriving & { readonly hasSnoozes: boolean };

/** @returns its targets, held or not */
export async function decideTargets(tx: Tx, arriving: Question): Promise<readonly DecidedTarget[]> {
  const asking = { ...arriving, planned: await withoutEdits(tx, arriving) };
  const isKept = isResult(asking.status) && asking.watched.isRemembered;
  const known = withTimersPut(tx, await lockKnown(tx, asking, isKept));
  const { foreseen, ended, facts, timers } = applyRules(asking, known, tx.now);
  const lastId = Math.max(facts.lastId, asking.callbackId);
  // Nothing is awaited between `withTimersPut` and here, so no call beside this one has decided on these timers meanwhile.
  await putTimers(tx, timers);
  if (isKept) await keepFacts(tx, asking.botKey, { ...facts, lastId });
  // One of a quiet take-up ends with its incident.
  if (ended.length > 0) await endSnoozes(tx, sql`incident_id IS NULL AND id IN (${join(ended)})`);
  return foreseen.flatMap((each) => targetOf(tx, each, asking.botKey, ended.length > 0));
}

/** Removes the burst from targets that edit an earlier message of the job, since edits count in none. */
async function withoutEdits(
  tx: Tx,
  { jobId, botId, planned }: Question,
): Promise<readonly PlannedDelivery[]> {
  const counted: PlannedDelivery[] = [];
  for (const target of planned) {
    const { destination, isEdit = false } = target;
    const told = isEdit ? await jobMessages(tx, { jobId, botId, destination, callbackId: 0 }) : undefined;
    counted.push(told?.root === undefined ? target : { ...target, burst: undefined });
  }
  return counted;
}

/** Locks in this order: expectations, facts, bursts. @param isKept a rule goes by the BOT's facts */
async function lockKnown(
  tx: Tx,
  { callbackId: before, botId, status, watched, hasSnoozes, botKey, planned }: Question,
  isKept: boolean,
): Promise<KnownFacts> {
  const snoozes = hasSnoozes ? await openSnoozes(tx) : [];
  const expectations = watched.expected.map(({ key }) => key);
  const expected = await lockTimers(tx, 'expect', expectations);
  // A success of an older run than the last error's ends no snooze.
  const mayEndSnooze = status === 0 && snoozes.some(isUntilSuccessOf(botId));
  const read = isKept ? lockFacts : mayEndSnooze ? factsFromRows : undefined;
  const facts = (await read?.(tx, botKey, before)) ?? NO_FACTS;
  const bursts = planned.filter(({ burst }) => burst !== undefined);
  const burstKeys = bursts.map(({ destination }) => burstKey(destination));
  const windows = await lockTimers(tx, 'burst', burstKeys);
  return { facts, snoozes, timers: { ...expected, ...windows } };
}

/** A call that runs beside this one in the transaction may have counted in a burst's window since it was read. */
function withTimersPut({ timersPut }: Tx, known: KnownFacts): KnownFacts {
  if (timersPut === undefined || timersPut.size === 0) return known;
  const newest = Object.entries(known.timers).map(
    ([key, data]) => [key, timersPut.get(key) ?? data] as const,
  );
  return { ...known, timers: Object.fromEntries(newest) };
}

function isUntilSuccessOf(botId: string) {
  return (snooze: Snooze) => snooze.isUntilSuccess && snooze.botId === botId;
}

/** What the rules go by for a callback that has not come; locks nothing. */
export async function readKnownFacts(
  tx: Tx,
  { botKey, watched, planned }: Pick<Arriving, 'botKey' | 'watched' | 'planned'>,
): Promise<KnownFacts> {
  const burstKeys = planned.map(({ destination }) => burstKey(destination));
  const keys = [...watched.expected.map(({ key }) => key), ...burstKeys];
  return {
    facts: await readFacts(tx, botKey),
    snoozes: await openSnoozes(tx),
    timers: await readTimers(tx, keys),
  };
}

/** If the end of a hold is not known, the rules are asked again after a day. */
export const ASKED_AGAIN_MS = 86_400_000;

/**
 * The target to write; none if the rule `on` lets it go: then the routes do not ask for it at all.
 * @param endsSnooze it ends a snooze: the errors that this held are due now, too, and are told first
 */
function targetOf(
  { now }: Tx,
  { target: { destination }, decision }: Foreseen,
  botKey: string,
  endsSnooze: boolean,
): readonly DecidedTarget[] {
  const recoveryOf = endsSnooze || decision?.isRecovered === true ? botKey : undefined;
  const tells = decision?.routes.flatMap(({ does, route }) => (does === 'tell' ? [route] : []));
  const target = { destination, telling: decision?.telling, recoveryOf, tells };
  const ruling = decision?.ruling;
  if (ruling === undefined || ruling.does === 'tell') return [target];
  if (ruling.does === 'let go') return ruling.rule === 'on' ? [] : [{ ...target, reason: ruling.rule }];
  const { rule: reason, until: heldUntil = now + ASKED_AGAIN_MS, snoozeId } = ruling;
  return [{ ...target, reason, heldUntil, snoozeId }];
}

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
  readonly isNeverLetGo?: boolean;
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
export function applyRules(arriving: Arriving, { facts: kept, snoozes, timers }: KnownFacts, now: number) {
  const { botId, status } = arriving;
  const startedAt = runStart(arriving);
  const facts = withoutAhead(kept, startedAt, now);
  const { streak, row } = isResult(status)
    ? withResult(facts.streak, { startedAt, isError: status === 1 })
    : { streak: facts.streak, row: undefined };
  // A success ends no snooze if its run began before the last error's, or if it is routed anew.
  const isWell = status === 0 && arriving.isNeverLetGo !== true && streak.results.at(-1)?.isError === false;
  const ended = isWell ? snoozes.filter(isUntilSuccessOf(botId)) : [];
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
export function runStart({ startedAt, receivedAt }: Pick<Arriving, 'startedAt' | 'receivedAt'>): number {
  return Math.min(startedAt, receivedAt);
}

export function isResult(status: StatusCode | undefined): boolean {
  return status !== undefined && status !== EXECUTING;
}

/** The BOT's expectations after this callback, and the due times that it is late for, by the keys of their timers. */
function expectationsAfter(arriving: Arriving, known: KnownFacts['timers']) {
  const { botId, botName, status, receivedAt: at, watched } = arriving;
  const startedAt = runStart(arriving);
  const lateFor = new Map<string, number>();
  const timers = watched.expected.map(({ key, rule }): KnownTimer<ExpectedBot> => {
    const before = known[key] as ExpectedBot | undefined;
    const begun = before?.expected ?? beginToExpect(rule, { at, hasCome: false, lastResultAt: undefined });
    const after = withCallback(rule, begun, { at, startedAt, isResult: isResult(status) });
    if (after.lateFor !== undefined) lateFor.set(key, after.lateFor);
    const dueAt = missedFrom(rule, after.expected);
    return { key, dueAt, data: { botId, botName, expected: after.expected } };
  });
  return { timers, lateFor };
}

type KnownNow = KnownFacts & Pick<Subject, 'row'> & Pick<DestinationFacts, 'lateFor'>;

function foresee(arriving: Arriving, known: KnownNow, now: number): readonly Foreseen[] {
  const { callbackId: id, botId, status, planned, likeness, unmet, isNeverLetGo = false } = arriving;
  const startedAt = runStart(arriving);
  const { row, snoozes, facts, timers, lateFor } = known;
  const { timezone } = arriving.watched;
  const statusName = status === undefined ? undefined : statusNameOf({ status });
  const subject = { id, botId, status: statusName, startedAt, row, likeness, unmet, isNeverLetGo };
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
    if (decision !== undefined) told[target.destination] = decision.told;
  return arriving.status === 0 ? withSuccessAt(told, runStart(arriving)) : told;
}

export function burstKey(destination: string): string {
  return `burst ${destination}`;
}

function windowAfter({ target: { destination, burst }, decision }: Foreseen): KnownTimer<BurstWindow>[] {
  const window = decision?.window;
  if (burst === undefined || window === undefined) return [];
  return [{ key: burstKey(destination), dueAt: window.startedAt + burst.perMs, data: window }];
}

interface MessageOfJob extends Pick<DeliveryRecord, 'destination' | 'callbackId'> {
  readonly jobId: string;
  readonly botId: string;
}

/** @param callbackId the callback that is to be sent now; its own messages do not count */
export async function jobMessages(tx: Tx, { jobId, botId, destination, callbackId }: MessageOfJob) {
  const told = await tx.all<{ readonly callbackId: number; readonly receipt: Receipt }>(sql`
    SELECT callback_id, receipt FROM callbacks JOIN deliveries ON callback_id = callbacks.id
    WHERE job_id = ${keyOf(jobId)} AND bot_key = ${keyOf(botId)} AND ${IS_OF_JOB} AND destination = ${destination} AND callback_id <> ${callbackId}
      AND state = 'delivered' AND receipt IS NOT NULL AND summary_id IS NULL
    ORDER BY deliveries.updated_at, deliveries.id`);
  const anew = told.findLast(({ receipt }) => Object.hasOwn(receipt, ROOT_GONE));
  return {
    /** The receipt of the first message, or of the last one that was posted anew; undefined: none was sent. */
    root: (anew ?? told[0])?.receipt,
    /** A later callback has been delivered: an edit would overwrite it with older news. */
    isOvertaken: told.some((each) => each.callbackId > callbackId),
  };
}
