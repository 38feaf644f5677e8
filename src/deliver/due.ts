/** How much of what is due one process claims at once, so that no destination waits for another's trouble: pure. */
import type { DueDestination, DueRequest } from '../ledger/ledger.ts';

/** Deliveries that nobody waits for, attempted at once by this process. */
const MOST_AT_ONCE = 64;

/** So many of them on one channel, and to one destination: the trouble of one leaves room for the others. */
const MOST_OF_CHANNEL = (MOST_AT_ONCE * 3) / 4;
const MOST_OF_DESTINATION = MOST_OF_CHANNEL / 2;

/** One claim takes from so many destinations; the next one goes on with the others. */
const DESTINATIONS_PER_CLAIM = 16;

/** Of the turns of a destination, what was given back in bulk gets so many, and what is new the others. */
const BULK_SHARE = 1 / 4;

export interface Standing {
  /** Destinations of what is being attempted already. */
  readonly inHand: readonly string[];
  /** What a destination's pace has room for; undefined: it keeps none. */
  readonly pacedRoom: (destination: string) => number | undefined;
  /** In [0, 1). */
  readonly random: () => number;
}

/** @param due in their turn */
export function requestsFor(
  due: readonly DueDestination[],
  { inHand, pacedRoom, random }: Standing,
): readonly DueRequest[] {
  const share = Math.max(1, Math.floor(MOST_AT_ONCE / Math.max(1, due.length)));
  const requests: DueRequest[] = [];
  const taken = [...inHand];
  for (const { destination, hasBulk } of due) {
    if (requests.length === DESTINATIONS_PER_CLAIM || taken.length >= MOST_AT_ONCE) break;
    const limit = Math.min(pacedRoom(destination) ?? share, roomFor(destination, taken));
    if (limit <= 0) continue;
    const bulkTurns = hasBulk ? Math.floor(limit * BULK_SHARE + random()) : 0;
    requests.push({ destination, limit, bulkTurns });
    taken.push(...Array.from({ length: limit }, () => destination));
  }
  return requests;
}

function roomFor(destination: string, inHand: readonly string[]): number {
  const channel = channelOf(destination);
  return Math.min(
    MOST_AT_ONCE - inHand.length,
    MOST_OF_CHANNEL - inHand.filter((other) => channelOf(other) === channel).length,
    MOST_OF_DESTINATION - inHand.filter((other) => other === destination).length,
  );
}

/** A destination is written `<channel>:<address>`, and no channel's name has a colon. */
export function channelOf(destination: string): string {
  return destination.slice(0, destination.indexOf(':'));
}
