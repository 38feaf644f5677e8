/** Section 8: messages are told, held and let go as the rules decide. */
import type { Admitted, Attempt, ListedDelivery } from '../observed.ts';
import { MINUTE, SECOND } from '../scenario.ts';
import { deliveryAt, type History, nameOf, seconds, WRITTEN_WITHIN_MS } from './history.ts';
import { type Ruling, rulingsOn } from './ruling.ts';
import { type Snoozed, snoozesOf } from './snoozed.ts';
import { isLostWithItsSummary, untold } from './told.ts';
import { judgeTimers } from './timers.ts';

/** How much earlier than computed a hold may end by the store's clock. */
const EARLY_MS = 50;

export function* judgeRules(history: History) {
  const { configs, epoch } = history.scenario;
  const [config] = configs;
  // The model does not know which config's rules decide while processes differ.
  if (config === undefined || history.hasReloads) return;
  const snoozes = snoozesOf(history);
  const rulings = rulingsOn(history.admitted, config, epoch, lostAtIn(history));
  const unsure = unsurePlaces(history);
  yield* snoozedForAReason(history, snoozes);
  for (const [admitted, ruled] of rulings) {
    if (history.isActedOn(admitted)) continue;
    const isUnsure = (destination: string) => unsure.has(`${admitted.send.bot} ${destination}`);
    const mayBeTold = (destination: string) => isUnsure(destination) || ruled.has(destination);
    yield* noMoreThanRuled(history, admitted, mayBeTold);
    for (const [destination, ruling] of ruled) {
      if (isUnsure(destination)) continue;
      yield* asRuled(history, { admitted, destination, ruling, snoozes });
    }
  }
  yield* judgeTimers(history);
}

/** When a delivery became the dead letter that it is at the end: with its last attempt. */
function lostAtIn(history: History) {
  return (admitted: Admitted, destination: string): number => {
    if (deliveryAt(admitted, destination)?.state !== 'dead') return Infinity;
    return history.attemptsOf(admitted, destination).at(-1)?.endedAt ?? Infinity;
  };
}

/** Places with unknown facts: a person acted, many results came first, or a message came just when one became a dead letter, or may have. */
function unsurePlaces(history: History): ReadonlySet<string> {
  const places = history.admitted.flatMap((admitted) => {
    const { send, listed } = admitted;
    const isUnsure = ({ destination, state }: ListedDelivery) =>
      history.isActedOn(admitted) ||
      isOfLongAgo(history, admitted) ||
      (state === 'held' && isLostWithItsSummary(history, destination)) ||
      (state === 'dead' && isDeathUnsure(history, admitted, destination));
    return listed.deliveries.filter(isUnsure).map(({ destination }) => `${send.bot} ${destination}`);
  });
  return new Set([...places, ...unsureOfMissed(history)]);
}

/** If so many results that started later came first, a result's place among the errors in a row is unknown: an open question. */
const OVERTAKEN_BY = 20;

function isOfLongAgo(history: History, { id, send: { bot, startedAt } }: Admitted): boolean {
  const isOvertaking = (other: Admitted) => other.id < id && other.send.startedAt >= startedAt;
  return history.resultsOf(bot).filter(isOvertaking).length >= OVERTAKEN_BY;
}

/** A missed result may be told this long after it was due. */
const MISSED_WITHIN_MS = 20 * SECOND;

/** If a BOT's first callback comes at the moment in which it is missed, nobody knows whether that was told. */
function unsureOfMissed(history: History): readonly string[] {
  const routes = history.scenario.configs[0]?.routes ?? [];
  return routes.flatMap(({ bots, expect, notify }) =>
    bots.flatMap((bot) => {
      const { at } = history.admitted.find(({ send }) => send.bot === bot) ?? {};
      if (expect === undefined || at === undefined) return [];
      const missedMs = at - (expect.everyMin + expect.graceMin) * MINUTE;
      const isUnsure = missedMs > -SECOND && missedMs < MISSED_WITHIN_MS;
      return isUnsure ? notify.map((destination) => `${bot} ${destination}`) : [];
    }),
  );
}

function isDeathUnsure(history: History, admitted: Admitted, destination: string): boolean {
  const { at = 0, endedAt, failure } = history.attemptsOf(admitted, destination).at(-1) ?? {};
  if (endedAt === undefined) return true;
  const isOfAttempt =
    failure?.class === 'permanent' || endedAt >= admitted.at + history.configOf(admitted).giveUpAfterMs;
  const written = endedAt + WRITTEN_WITHIN_MS;
  const isWritten = history.isCalm(at, written);
  const comes = history.admitted.some(
    (other) => other.send.bot === admitted.send.bot && other.at > at && other.at <= written,
  );
  return !isOfAttempt || !isWritten || comes;
}

function* snoozedForAReason(history: History, snoozes: readonly Snoozed[]) {
  for (const { send, deliveries = [] } of history.observed.posts) {
    const admitted = history.admissionOf(send);
    for (const { destination, rule } of admitted === undefined ? [] : deliveries)
      if (rule === 'snooze' && !snoozes.some((snooze) => snooze.mayHold(admitted as Admitted, destination)))
        yield `the rules decide: ${nameOf(send)} is snoozed at ${destination}, and no snooze is in force`;
  }
}

interface Ruled {
  readonly admitted: Admitted;
  readonly destination: string;
  readonly ruling: Ruling;
  readonly snoozes: readonly Snoozed[];
}

function* noMoreThanRuled(history: History, admitted: Admitted, mayBeTold: (destination: string) => boolean) {
  for (const { destination } of admitted.listed.deliveries)
    if (!mayBeTold(destination) && history.attemptsOf(admitted, destination).length > 0)
      yield `the rules decide: ${nameOf(admitted.send)} is sent to ${destination}, which no route asks for`;
}

function* asRuled(history: History, ruled: Ruled) {
  const { admitted, destination, ruling } = ruled;
  const name = `${nameOf(admitted.send)} at ${destination}`;
  const [first] = history.attemptsOf(admitted, destination);
  if (ruling.does === 'let go') {
    if (first !== undefined || deliveryAt(admitted, destination)?.state === 'delivered')
      yield `the rules decide: ${name} is told, though ${ruling.rule} lets it go`;
    return;
  }
  if (hasFailedAgain(history, ruled, first)) return yield* noRecovery(name, first);
  if (mayHaveFailedAgain(history, ruled)) return;
  const why = untold(history, admitted, destination);
  if (why !== undefined) yield `nothing is lost: ${name} was never told (${ruling.does}): ${why}`;
  yield* heldLongEnough(ruled, first);
  yield* heldNoLonger(history, ruled);
  if (first !== undefined) yield* asItself(history, ruled, first);
  else if (ruling.does === 'tell') yield* notSummarised(history, ruled);
}

/** Whether a recovery's BOT failed again while the recovery was held: it is then superseded, since it is no longer true. */
function hasFailedAgain(
  history: History,
  { admitted, destination, ruling, snoozes }: Ruled,
  first: Attempt | undefined,
): boolean {
  const wasHeld = history.wasHeld(admitted, destination) || mayBeHeld(admitted, destination, snoozes);
  const isHeld = ruling.does === 'hold' || wasHeld;
  return ruling.template === 'recovered' && isHeld && failsBy(history, admitted, first?.at);
}

/** Whether the BOT may have failed again while a recovery waited to be sent: it is then told as a plain success, or to nobody. */
function mayHaveFailedAgain(history: History, { admitted, destination, ruling }: Ruled): boolean {
  const toldAt = history.attemptsOf(admitted, destination).find(({ takenAt }) => takenAt !== undefined)?.at;
  return ruling.template === 'recovered' && failsBy(history, admitted, toldAt);
}

function failsBy(history: History, { at, send: { bot, startedAt } }: Admitted, time = Infinity): boolean {
  const later = history.resultsOf(bot).filter(({ send }) => send.startedAt > startedAt);
  return later.some((other) => other.send.status === 1 && other.at > at && other.at <= time);
}

function* noRecovery(name: string, first: Attempt | undefined) {
  if (first?.notice.template === 'recovered')
    yield `told only while it is true: ${name} says that its BOT works again, which has failed since`;
}

function* heldLongEnough({ admitted, destination, ruling, snoozes }: Ruled, first: Attempt | undefined) {
  if (first === undefined) return;
  const holds = snoozes.filter((snooze) => snooze.holds(admitted, destination)).map(({ until }) => until);
  // A mute ends when none of its entries holds; a snooze that begins meanwhile may hold the message longer.
  const until = Math.max(...holds, ruling.until ?? -Infinity);
  if (first.at < until - EARLY_MS)
    yield `held until it ends: ${nameOf(admitted.send)} at ${destination} is held until ${seconds(until)}`;
}

/** How long after its hold a message may be told: a poll, on a machine that sleeps while nothing happens. */
const TOLD_WITHIN_MS = 40 * SECOND;

function* heldNoLonger(history: History, { admitted, destination, ruling, snoozes }: Ruled) {
  const until = endOfOneHold(history, { admitted, destination, ruling, snoozes });
  const latest = Math.max(until, admitted.at) + TOLD_WITHIN_MS;
  if (!Number.isFinite(until) || latest > history.now) return;
  if (!history.isWell(destination, admitted.at, latest)) return;
  const { send } = admitted;
  const toldAt = history.toldAt(admitted, destination) ?? Infinity;
  // An `executing` whose run has ended meanwhile is superseded: `untold`.
  const isSuperseded = deliveryAt(admitted, destination)?.rule === 'superseded';
  if (toldAt > latest && !history.isBehind(admitted) && !isSuperseded)
    yield `told when its hold has ended: ${nameOf(send)} at ${destination} was held until ${seconds(until)}`;
}

/** When the only hold ends; Infinity if several may follow each other, or if it has no end. */
function endOfOneHold(history: History, { admitted, destination, ruling, snoozes }: Ruled): number {
  const { bot } = admitted.send;
  const { routes, burst } = history.configOf(admitted);
  const concerning = snoozes.filter((snooze) => snooze.concerns(bot, destination));
  const isMuted = routes.some(({ bots, mute }) => mute && bots.includes(bot));
  const isOne =
    ruling.does === 'hold' ? concerning.length === 0 : !isMuted && concerning.every(({ isSure }) => isSure);
  if (!isOne || burst !== undefined) return Infinity;
  return ruling.until ?? Math.max(...concerning.map((snooze) => snooze.until));
}

function* asItself(history: History, { admitted, destination, ruling }: Ruled, { notice }: Attempt) {
  const name = `${nameOf(admitted.send)} at ${destination}`;
  const isSure =
    ruling.template !== undefined && !isBeginUnsure(history, admitted, [ruling.template, notice.template]);
  if (isSure && notice.template !== ruling.template)
    yield `by its template: ${name} is told as ${notice.template}, not as ${ruling.template}`;
  const { heldBack = 0 } = notice as { readonly heldBack?: number };
  if (heldBack !== (ruling.heldBack ?? 0))
    yield `says how many were held back: ${name} says ${heldBack}, not ${ruling.heldBack}`;
}

/**
 * If the first process died soon, nobody knows when the config began to expect a BOT; nor whether it counts from a first callback that came before
 * it could be told, for want of the store, that none had come in time.
 */
function isBeginUnsure(history: History, { send: { bot } }: Admitted, templates: readonly string[]): boolean {
  const first = history.admitted.find(({ send }) => send.bot === bot)?.at ?? 0;
  const isUntold = history.isStoreHit(first - MINUTE, first);
  const hasDied = history.observed.ends.some(({ at }) => at < MINUTE);
  return templates.includes('late') && (history.hasSetClocks || hasDied || isUntold);
}

function* notSummarised(history: History, { admitted, destination, snoozes }: Ruled) {
  const isBurst = history.configOf(admitted).burst !== undefined && destination.startsWith('chat:');
  // Otherwise the summary may tell other callbacks of the job.
  if (deliveryAt(admitted, destination)?.state !== 'delivered') return;
  if (isBurst || mayBeHeld(admitted, destination, snoozes)) return;
  if (history.summariesOf(admitted, destination).length > 0)
    yield `the rules decide: ${nameOf(admitted.send)} is in a summary at ${destination}, held by nothing`;
}

/** Whether a snooze may hold the message; shortly before it began, that is uncertain. */
function mayBeHeld({ send, at }: Admitted, destination: string, snoozes: readonly Snoozed[]): boolean {
  return snoozes.some((snooze) => snooze.concerns(send.bot, destination) && at > snooze.from - 10 * SECOND);
}
