/** Section 6: within a job, per destination, in order. */
import type { Admitted, Attempt } from '../observed.ts';
import { SECOND } from '../scenario.ts';
import { type Broken, deliveryAt, type History, isSuccess, nameOf } from './history.ts';

/** A summary that is made in the moment in which the result is told may be sent so much later. */
const SUMMARISED_WITHIN_MS = 20 * SECOND;

export function judgeOrder(history: History, broken: Broken): void {
  for (const earlier of history.admitted)
    for (const later of history.admitted)
      if (earlier.id < later.id && earlier.send.job === later.send.job)
        inOrder(history, earlier, later, broken);
}

function inOrder(history: History, earlier: Admitted, later: Admitted, broken: Broken): void {
  // What a person has sent again comes when it is asked for; what no config routes for a while, when one does.
  if (history.isActedOn(earlier) || history.hasReloads) return;
  for (const { destination } of earlier.listed.deliveries) {
    const told = history.attemptsOf(later, destination).find(isSuccess);
    notSummarised(history, earlier, { later, told, destination }, broken);
    const again = history
      .attemptsOf(earlier, destination)
      .find(({ at }) => told?.endedAt !== undefined && at > told.endedAt);
    if (again === undefined || isRepeated(history, earlier, destination, told?.at ?? 0)) continue;
    const what = `${destination} is told ${nameOf(earlier.send)} after ${nameOf(later.send)}`;
    broken(
      earlier.send.status === 2 && later.send.status !== 2
        ? 'no start after its result'
        : 'in order within a job',
      what,
    );
  }
}

interface After {
  readonly later: Admitted;
  /** How the later one was told; undefined: not by itself. */
  readonly told: Attempt | undefined;
  readonly destination: string;
}

/** No summary that is made after the result was told tells of a run's beginning. */
function notSummarised(
  history: History,
  earlier: Admitted,
  { later, told, destination }: After,
  broken: Broken,
): void {
  if (told?.endedAt === undefined || earlier.send.status !== 2 || later.send.status === 2) return;
  const isTold = deliveryAt(earlier, destination)?.state === 'delivered';
  if (!isTold || history.attemptsOf(earlier, destination).length > 0) return;
  const [summary] = history.summariesOf(earlier, destination);
  const from = told.endedAt;
  if (summary === undefined || summary.at < from + SUMMARISED_WITHIN_MS) return;
  if (history.isCalm(from, summary.at) && !history.hasWeather(destination, 0, summary.at))
    broken('no start after its result', `${nameOf(earlier.send)} is summarised at ${destination} after it`);
}

/** It had been taken before, and nobody could know. */
function isRepeated(history: History, earlier: Admitted, destination: string, before: number): boolean {
  return history
    .attemptsOf(earlier, destination)
    .some(({ takenAt, at }) => takenAt !== undefined && at < before);
}
