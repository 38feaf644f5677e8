/** Everything ends: stops, deliveries, what a dead process had in hand, and what processes keep in memory. */
import type { Admitted, Attempt } from '../observed.ts';
import { type Fault, MINUTE, SECOND } from '../scenario.ts';
import { ANSWER_WITHIN_MS } from './answers.ts';
import { type History, isOfOneJob, LATE_MS, nameOf, seconds } from './history.ts';
import { snoozesOf } from './snoozed.ts';

/** A replica takes over within this time of the last heartbeat. */
const TAKEN_OVER_WITHIN_MS = 40 * SECOND;

export function* judgeEnd(history: History) {
  const { stops, unforeseen, stuck, metrics } = history.observed;
  for (const { process, ms } of stops)
    if (ms > ANSWER_WITHIN_MS + SECOND) yield `a stop is quick: ${process.name} took ${ms} ms`;
  for (const what of unforeseen) yield `nothing unforeseen: ${what}`;
  if (stuck !== undefined) return void (yield `everything ends: ${stuck}`);
  for (const text of metrics) yield* memoryIsEmpty(history, text);
  for (const admitted of history.admitted) {
    yield* promptly(history, admitted);
    yield* takenOver(history, admitted);
    yield* givenUp(history, admitted);
  }
}

function* memoryIsEmpty({ hasReloads, hasSetClocks, observed }: History, text: string) {
  // Open question: do deliveries that no route names any more, or that a dead summary was to tell, count as held?
  const isSummaryDead = observed.listed.some(
    ({ kind, deliveries }) => kind === 'summary' && deliveries.some(({ state }) => state === 'dead'),
  );
  const held = hasReloads || isSummaryDead ? [] : ['botbell_deliveries_held'];
  // A pause that was written while the store's clock was ahead lasts until that time.
  const paused = hasSetClocks ? [] : ['botbell_destinations_paused'];
  for (const gauge of ['botbell_deliveries_pending', ...paused, ...held]) {
    const value = new RegExp(`^${gauge} (.*)$`, 'm').exec(text)?.[1];
    if (value !== '0') yield `nothing is left: ${gauge} is ${value ?? 'not there'} at the end`;
  }
}

function* promptly(history: History, admitted: Admitted) {
  const { at, send } = admitted;
  if (!history.isCalm(at - MINUTE, at + 5 * SECOND) || history.hasSetClocks || history.isActedOn(admitted))
    return;
  if (history.configOf(admitted).maxInFlight < 100) return;
  for (const { destination } of admitted.listed.deliveries) {
    const [first] = history.attemptsOf(admitted, destination);
    // Earlier trouble delays messages for a while: by attempts that go on, and longer by a pause or a pace.
    const since = history.mayWait(destination) ? 0 : at - 90 * SECOND;
    if (first === undefined || history.hasWeather(destination, since, at + 5 * SECOND)) continue;
    if (isHeld(history, admitted, destination) || isKeptBack(history, admitted, destination)) continue;
    if (first.at - at > 2 * SECOND)
      yield `sent at once: ${nameOf(send)} was sent to ${destination} ${first.at - at} ms after it came`;
  }
}

/** Whether an earlier message of its job keeps it back; an `executing` that is not being attempted ends with its result. */
function isKeptBack(history: History, { id, at, send }: Admitted, destination: string): boolean {
  return history.admitted.some((other) => {
    if (other.id >= id || !isOfOneJob(other, { send })) return false;
    const attempts = history.attemptsOf(other, destination);
    const isUnderWay = attempts.some((each) => each.at <= at && (each.endedAt ?? Infinity) > at - SECOND);
    return send.status === 2 || other.send.status !== 2 || isUnderWay;
  });
}

function isHeld(history: History, admitted: Admitted, destination: string): boolean {
  const { routes, burst } = history.configOf(admitted);
  const { bot } = admitted.send;
  if (burst !== undefined || history.hasReloads) return true;
  const isSnoozed = snoozesOf(history).some((snooze) => snooze.concerns(bot, destination));
  return isSnoozed || routes.some(({ bots, mute }) => mute && bots.includes(bot));
}

/** What a process had in hand when it died is attempted again once the claim is free and the service has had time to post again. */
function* takenOver(history: History, admitted: Admitted) {
  if (history.hasReloads || history.hasSetClocks || history.isActedOn(admitted)) return;
  for (const { destination } of admitted.listed.deliveries) {
    const attempts = history.attemptsOf(admitted, destination);
    for (const [place, cut] of attempts.entries()) {
      const next = attempts[place + 1];
      if (cut.endedAt === undefined && next !== undefined) yield* inTime(history, admitted, cut, next);
    }
  }
}

function* inTime(history: History, admitted: Admitted, { process, destination }: Attempt, next: Attempt) {
  const died = history.endOf(process);
  const byAnother = history.scenario.replicas > 1 ? died + TAKEN_OVER_WITHIN_MS : Infinity;
  const restarted = history.observed.loaded.find(({ slot, at }) => slot === process.slot && at > died);
  const freed = Math.min(byAnother, restarted?.at ?? Infinity);
  const posts = history.postsOf(admitted.send).filter(({ at }) => at < next.at);
  const lastPost = Math.max(...posts.map(({ at }) => at));
  const due = Math.max(freed, lastPost + history.configOf(admitted).takeOverAfterMs) + LATE_MS;
  if (died === Infinity || next.at <= due || isHindered(history, destination, died, due)) return;
  const when = `until ${seconds(died)}, and is attempted at ${seconds(next.at)}`;
  yield `taken over from the dead: ${nameOf(admitted.send)} at ${destination}, of ${process.name} ${when}`;
}

function isHindered(history: History, destination: string, died: number, due: number): boolean {
  const from = died - MINUTE;
  if (history.hasWeather(destination, from, due) || history.isStoreHit(from, due)) return true;
  return history.observed.ends.some(({ at }) => at > died - 5 * MINUTE && at < due && at !== died);
}

/** Nothing is attempted after `give_up_after`. Time in which a message only waited, or its process was down, does not count. */
function* givenUp(history: History, admitted: Admitted) {
  const { scenario, hasReloads, hasSetClocks } = history;
  const { giveUpAfterMs } = history.configOf(admitted);
  if (hasReloads || hasSetClocks || history.isBehind(admitted) || history.isActedOn(admitted)) return;
  const lostBy = (fault: Fault) =>
    fault.kind === 'store' ? fault.for : 'downFor' in fault ? fault.downFor + 40 * SECOND : 0;
  const lost = scenario.faults.reduce((sum, fault) => sum + lostBy(fault), 0);
  for (const { destination } of admitted.listed.deliveries) {
    const waits = history.mayWait(destination) || isHeld(history, admitted, destination);
    const latest = admitted.at + giveUpAfterMs + lost + MINUTE;
    const made = history.attemptsOf(admitted, destination);
    const slept = made.filter(({ at }) => at <= latest).length * LATE_MS;
    const late = made.find(({ at }) => at > latest + slept);
    if (late !== undefined && !waits && isAlone(history, admitted, made, late))
      yield `given up in time: ${nameOf(admitted.send)} is attempted at ${destination} at ${seconds(late.at)}`;
  }
}

function isAlone(history: History, { at }: Admitted, made: readonly Attempt[], late: Attempt): boolean {
  const others = history.attemptsTo(late.destination).filter((each) => !made.includes(each));
  const endOf = ({ endedAt = Infinity, process }: Attempt) => Math.min(endedAt, history.endOf(process));
  return others.every((each) => each.at > late.at || endOf(each) < at);
}
