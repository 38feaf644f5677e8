/** Asks the rules of each destination, counts its bursts, and says what its delivery begins as. */
import type { Telling } from '../../notice/notice.ts';
import type { BurstWindow } from '../../signal/burst.ts';
import { decide, type Decision, type DestinationFacts, type Subject } from '../../signal/decide.ts';
import type { Burst, Snooze } from '../../signal/rules.ts';
import { NOTHING_TOLD, type Told } from '../../signal/told.ts';
import type { Tx } from '../database.ts';
import type { DecidedTarget, PlannedDelivery } from '../ledger.ts';
import { jobMessages } from './job-messages.ts';
import { snoozesOf } from './snoozes.ts';
import { lockTimer, writeTimer } from './timers.ts';

export interface Asked {
  readonly subject: Subject;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly botKey: string;
  /** '' where it is of none. */
  readonly jobId: string;
  readonly planned: readonly PlannedDelivery[];
  readonly timezone: string;
  /** Of the BOT, by destination. */
  readonly told: Readonly<Record<string, Told>>;
  /** Due times that the result is late for, by the keys of their timers. */
  readonly lateFor: ReadonlyMap<string, number>;
  /** There are snoozes that have not ended. */
  readonly hasSnoozes: boolean;
}

export interface Answers {
  /** In the order of the plan; none of a route that is not told of it at all. */
  readonly targets: readonly DecidedTarget[];
  /** What destinations have been told of the BOT by now. */
  readonly told: Readonly<Record<string, Told>>;
}

export async function askRules(tx: Tx, asked: Asked): Promise<Answers> {
  const { planned, hasSnoozes, botKey } = asked;
  const destinations = planned.map(({ destination }) => destination);
  const snoozes = hasSnoozes ? await snoozesOf(tx, botKey, destinations) : [];
  const told: Record<string, Told> = {};
  const decided = new Map<string, readonly DecidedTarget[]>();
  // Bursts are counted in the order in which all lock them.
  for (const target of planned.toSorted((a, b) => (a.destination < b.destination ? -1 : 1))) {
    const { destination } = target;
    const decision = await decideOne(tx, asked, target, snoozes);
    const telling = decision && tellingOf(decision, asked);
    decided.set(
      destination,
      decision === undefined ? [target] : targetOf(tx, { ...target, telling }, decision),
    );
    if (decision !== undefined && decision.told !== NOTHING_TOLD) told[destination] = decision.told;
  }
  return { targets: destinations.flatMap((destination) => decided.get(destination) ?? []), told };
}

/** Undefined: it has no rules. */
async function decideOne(
  tx: Tx,
  asked: Asked,
  target: PlannedDelivery,
  snoozes: readonly Snooze[],
): Promise<Decision | undefined> {
  if (target.asked === undefined) return undefined;
  const { destination, isEdit } = target;
  const burst =
    isEdit === true && (await hasMessage(tx, asked.jobId, destination)) ? undefined : target.burst;
  const window = burst && (await lockTimer<BurstWindow>(tx, burstKey(destination), 'burst'));
  const decision = decisionOn(asked, { ...target, burst }, { snoozes, window, now: tx.now });
  if (burst !== undefined) await keepWindow(tx, destination, burst, decision?.window);
  return decision;
}

/** Undefined: it has no rules. */
export function decisionOn(
  { subject, told, lateFor, timezone }: Asked,
  { destination, asked, burst }: PlannedDelivery,
  { now, ...known }: Pick<DestinationFacts, 'snoozes' | 'window'> & { readonly now: number },
): Decision | undefined {
  if (asked === undefined) return undefined;
  const routes = asked.map(({ timer = '', ...route }) => ({ ...route, lateFor: lateFor.get(timer) }));
  const here = { destination, told: told[destination] ?? NOTHING_TOLD, burst, ...known };
  return decide(subject, routes, here, { now, timezone });
}

async function hasMessage(tx: Tx, jobId: string, destination: string): Promise<boolean> {
  return (await jobMessages(tx, { jobId, destination, callbackId: 0 })).root !== undefined;
}

export function burstKey(destination: string): string {
  return `burst ${destination}`;
}

async function keepWindow(
  tx: Tx,
  destination: string,
  { perMs }: Burst,
  window?: BurstWindow,
): Promise<void> {
  if (window === undefined) return;
  await writeTimer(tx, { key: burstKey(destination), dueAt: window.startedAt + perMs, data: window });
}

/** Where it is not known when a hold ends, the rules are asked again after a day. */
export const ASKED_AGAIN_MS = 86_400_000;

function targetOf(
  { now }: Tx,
  { destination, channel, address, telling }: DecidedTarget,
  { verdict }: Decision,
): readonly DecidedTarget[] {
  if (verdict.does === 'let go' && verdict.rule === 'on') return [];
  const target = { destination, channel, address, telling };
  if (verdict.does === 'tell') return [target];
  if (verdict.does === 'let go') return [{ ...target, reason: verdict.rule }];
  const { rule: reason, until: heldUntil = now + ASKED_AGAIN_MS, snoozeId } = verdict;
  return [{ ...target, reason, heldUntil, snoozeId }];
}

/** Undefined: by its status alone. */
function tellingOf({ template, lateFor, heldBack }: Decision, asked: Asked): Telling | undefined {
  const occasion = template && occasionOf(template, lateFor, asked);
  if (occasion === undefined && heldBack === 0) return undefined;
  return { ...(occasion && { occasion }), ...(heldBack > 0 && { heldBack }) };
}

function occasionOf(
  template: 'late' | 'recovered',
  dueAt: number | undefined,
  { subject: { row }, receivedAt }: Asked,
): Telling['occasion'] {
  if (template === 'late' && dueAt !== undefined)
    return { template, dueAt, lateByMs: Math.max(0, receivedAt - dueAt) };
  if (template !== 'recovered' || row?.since === undefined) return undefined;
  return { template, failingSince: row.since, failures: row.failures };
}
