/** Asks the rules about an arriving callback or notice, by what the ledger knows of its BOT, and stores what changes by it. */
import type { Tx } from '../database.ts';
import { keyOf } from '../callbacks/keys.ts';
import type { DecidedTarget, PlannedDelivery, Watched } from '../ledger.ts';
import { EXECUTING } from '../deliveries/rows.ts';
import { factsFromRows, keepFacts, lockFacts, NO_FACTS, readFacts } from './facts.ts';
import { jobMessages } from '../callbacks/job-messages.ts';
import { type Arriving, burstKey, type Foreseen, isResult, judge, type KnownFacts } from './judge.ts';
import { overdueTimers } from './runs.ts';
import { endSnoozes, openSnoozes } from './snoozes.ts';
import { beginTimers, lockTimers, putTimers, readTimers } from './timers.ts';

export interface Arrived extends Arriving {
  readonly hasSnoozes: boolean;
  readonly isFirstOfJob: boolean;
}

/** Asks the rules of a new callback, and begins its overdue timers. @returns its targets, held or not */
export async function decideAll(tx: Tx, arrived: Arrived): Promise<readonly DecidedTarget[]> {
  const { status, watched } = arrived;
  if (status === EXECUTING && arrived.isFirstOfJob)
    await beginTimers(tx, overdueTimers(arrived, watched.overdueMs));
  return ask(tx, arrived);
}

/** A callback or notice of which only `mute`, snoozes and bursts are asked. */
export type Wanted = Pick<Arriving, 'botId' | 'status' | 'planned'> & Pick<Watched, 'timezone'>;

export function holdWanted(tx: Tx, { timezone, ...wanted }: Wanted): Promise<readonly DecidedTarget[]> {
  const times = { startedAt: tx.now, receivedAt: tx.now };
  const about = { ...wanted, ...times, jobId: '', botKey: keyOf(wanted.botId), botName: '', isWanted: true };
  const nothing = { callbackId: 0, likeness: '', unmet: [], hasSnoozes: true };
  const watched = { timezone, isRemembered: false, expected: [], overdueMs: [] };
  return ask(tx, { ...about, ...nothing, watched });
}

type Question = Arriving & Pick<Arrived, 'hasSnoozes'>;

async function ask(tx: Tx, arriving: Question): Promise<readonly DecidedTarget[]> {
  const asking = { ...arriving, planned: await withoutEdits(tx, arriving) };
  const isKept = isResult(asking.status) && asking.watched.isRemembered;
  const known = await lockKnown(tx, asking, isKept);
  const { foreseen, ended, facts, timers } = judge(asking, known, tx.now);
  const lastId = Math.max(facts.lastId, asking.callbackId);
  if (isKept) await keepFacts(tx, asking.botKey, { ...facts, lastId });
  await putTimers(tx, timers);
  await endSnoozes(tx, ended);
  return foreseen.flatMap<DecidedTarget>((each) => targetOf(tx, each, asking.botKey));
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
  const mayEndSnooze = status === 0 && snoozes.some((each) => each.untilSuccess && each.botId === botId);
  const read = isKept ? lockFacts : mayEndSnooze ? factsFromRows : undefined;
  const facts = (await read?.(tx, botKey, before)) ?? NO_FACTS;
  const bursts = planned.filter(({ asked, burst }) => asked !== undefined && burst !== undefined);
  const burstKeys = bursts.map(({ destination }) => burstKey(destination));
  const windows = await lockTimers(tx, 'burst', burstKeys);
  return { facts, snoozes, timers: { ...expected, ...windows } };
}

/** What the rules go by for a callback that has not come; locks nothing. */
export async function knownOf(
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

/** None if the rule `on` lets it go: then the routes do not ask for it at all. */
function targetOf(
  { now }: Tx,
  { target: { destination, channel, address }, decision }: Foreseen,
  botKey: string,
) {
  const recoveryOf = decision?.isRecovered === true ? botKey : undefined;
  const tells = decision?.routes.flatMap(({ does, route }) => (does === 'tell' ? [route] : []));
  const target = { destination, channel, address, telling: decision?.telling, recoveryOf, tells };
  const ruling = decision?.ruling ?? { does: 'tell' };
  if (ruling.does === 'tell') return [target];
  if (ruling.does === 'let go') return ruling.rule === 'on' ? [] : [{ ...target, reason: ruling.rule }];
  const { rule: reason, until: heldUntil = now + ASKED_AGAIN_MS, snoozeId } = ruling;
  return [{ ...target, reason, heldUntil, snoozeId }];
}
