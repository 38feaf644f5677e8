/** Section 6: a 429 pauses its destination, for every replica. */
import type { Attempt, Pause } from '../observed.ts';
import { SECOND } from '../scenario.ts';
import { type Broken, type History, seconds } from './history.ts';

/** A pause is in the store, and the others have read it. */
const SHARED_WITHIN_MS = 3 * SECOND;

export function judgePauses(history: History, broken: Broken): void {
  const { attempts, pauses } = history.observed;
  for (const attempt of attempts)
    for (const pause of pauses)
      if (isDuring(attempt, pause) && mustObey(history, attempt, pause))
        broken(
          'a pause is obeyed',
          `${attempt.process.name} sends to ${attempt.destination} at ${seconds(attempt.at)}, which asked ${pause.process.name} for a pause until ${seconds(pause.until)}`,
        );
}

function isDuring({ destination, at, notice }: Attempt, pause: Pause): boolean {
  // A test is sent when somebody asks for it.
  if (destination !== pause.destination || notice.template === 'test') return false;
  return at > pause.from && at < pause.until - 5;
}

function mustObey(history: History, { process, at }: Attempt, pause: Pause): boolean {
  if (process === pause.process) return true;
  const isShared = at > pause.from + SHARED_WITHIN_MS && history.endOf(pause.process) > pause.from + SECOND;
  return isShared && !history.hasSetClocks && !history.isStoreHit(pause.from, at);
}
