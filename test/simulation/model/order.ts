/** Section 6: at each destination, the messages of a job come in order. Section 8: a recovery comes after its error. */
import type { Admitted, Attempt } from '../observed.ts';
import { SECOND } from '../scenario.ts';
import { deliveryAt, type History, isOfOneJob, isSuccess, nameOf } from './history.ts';

/** A summary that is made at the moment of the result may be sent this much later. */
const SUMMARISED_WITHIN_MS = 20 * SECOND;

export function* judgeOrder(history: History) {
  for (const earlier of history.admitted)
    for (const later of history.admitted)
      if (earlier.id < later.id && isOfOneJob(earlier, later)) yield* inOrder(history, earlier, later);
  for (const recovery of history.admitted)
    if (recovery.send.status === 0) yield* afterItsErrors(history, recovery);
}

function* afterItsErrors(history: History, recovery: Admitted) {
  const { id, send } = recovery;
  const before = history.resultsOf(send.bot).filter((each) => each.id < id && each.send.status === 1);
  const isAnswered = (error: Admitted) => error.send.startedAt <= send.startedAt && !history.isActedOn(error);
  const errors = before.filter(isAnswered);
  for (const { destination } of recovery.listed.deliveries) {
    const told = history.attemptsOf(recovery, destination).find(isSuccess);
    if (told?.notice.template !== 'recovered') continue;
    for (const error of errors) {
      if (isRepeated(history, error, destination, told.at)) continue;
      // A later summary that names the job may tell of another callback of it: the first one tells of this.
      const isTold = deliveryAt(error, destination)?.state === 'delivered';
      const summaries = isTold ? history.summariesOf(error, destination).slice(0, 1) : [];
      const sent = [...history.attemptsOf(error, destination), ...summaries];
      if (sent.some(({ at }) => at > (told.endedAt ?? Infinity)))
        yield `a recovery after the error that it answers: ${nameOf(error.send)} at ${destination}`;
    }
  }
}

function* inOrder(history: History, earlier: Admitted, later: Admitted) {
  // A message that a person sends again comes when asked for; one that no config routes for a while, when one routes it again.
  if (history.isActedOn(earlier) || history.hasReloads) return;
  for (const { destination } of earlier.listed.deliveries) {
    // Whether the attempt succeeded or not: it was made.
    const [first] = history.attemptsOf(later, destination);
    yield* notMeanwhile(history, earlier, later, destination);
    yield* notSummarised(history, earlier, later, destination);
    if (first === undefined || isRepeated(history, earlier, destination, first.at)) continue;
    const again = history.attemptsOf(earlier, destination).find(({ at }) => at > first.at);
    const sentence = again && brokenBy(history, earlier, later, again);
    if (sentence !== undefined)
      yield `${sentence}: ${destination} is told ${nameOf(earlier.send)} after ${nameOf(later.send)}`;
  }
}

/** While an attempt goes on, later messages of the job wait, within their POST or taken over. */
function* notMeanwhile(history: History, earlier: Admitted, later: Admitted, destination: string) {
  const name = nameOf(earlier.send);
  const isUnderWay = ({ at, endedAt = Infinity, process }: Attempt, time: number) =>
    at < time && time < Math.min(endedAt, history.endOf(process));
  for (const { at } of history.attemptsOf(later, destination)) {
    const before = history.attemptsOf(earlier, destination).find((each) => isUnderWay(each, at));
    if (before === undefined || history.hasSetClocks || history.isStoreHit(before.at, at)) continue;
    if (!history.wasHeld(earlier, destination))
      yield `in order within a job: ${destination} is sent ${nameOf(later.send)} while it is sent ${name}`;
  }
}

/** @returns the sentence that an attempt breaks if it follows an attempt of the later callback; undefined: none */
function brokenBy(history: History, earlier: Admitted, later: Admitted, again: Attempt): string | undefined {
  // An edit is exempt from a burst, so it may overtake an error that the burst holds until its end.
  if (history.wasHeld(earlier, again.destination)) {
    const isEdit = again.perJob === 'update' && again.root !== undefined;
    return isEdit ? 'an edit says the latest' : undefined;
  }
  const isStart = earlier.send.status === 2 && later.send.status !== 2;
  return isStart ? 'no start after its result' : 'in order within a job';
}

function* notSummarised(history: History, earlier: Admitted, later: Admitted, destination: string) {
  if (earlier.send.status !== 2 || later.send.status === 2) return;
  const isTold = deliveryAt(earlier, destination)?.state === 'delivered';
  if (!isTold || history.attemptsOf(earlier, destination).length > 0) return;
  const [summary] = history.summariesOf(earlier, destination);
  const from = later.at;
  if (summary === undefined || summary.at < from + SUMMARISED_WITHIN_MS) return;
  if (history.isWell(destination, from, summary.at))
    yield `no start after its result: ${nameOf(earlier.send)} is summarised at ${destination} after it`;
}

/** Whether the earlier message had been accepted before, which nobody may have learned. */
function isRepeated(history: History, earlier: Admitted, destination: string, before: number): boolean {
  return history
    .attemptsOf(earlier, destination)
    .some(({ takenAt, at }) => takenAt !== undefined && at < before);
}
