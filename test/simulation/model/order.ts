/** Section 6: within a job, per destination, in order. */
import type { Admitted } from '../observed.ts';
import { type Broken, type History, isSuccess, nameOf } from './history.ts';

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

/** It had been taken before, and nobody could know. */
function isRepeated(history: History, earlier: Admitted, destination: string, before: number): boolean {
  return history
    .attemptsOf(earlier, destination)
    .some(({ takenAt, at }) => takenAt !== undefined && at < before);
}
