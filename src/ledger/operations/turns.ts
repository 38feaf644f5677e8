/** Whose turn it is: how many due deliveries of each destination a process claims. Pure. */
import type { DueRequest } from '../ledger.ts';

/** What a process has in hand, and what it may send where. */
export interface ClaimTurns {
  readonly last: string;
  readonly inHand: readonly string[];
  /** Destinations, and channels as a whole, that keep a pace or a queue: milliseconds until the next message may go there. */
  readonly waits: Readonly<Record<string, number>>;
  /** Deliveries of bulk redeliveries come first this time. */
  readonly isBulkFirst: boolean;
  /** The only destinations whose deliveries it may claim; undefined: any. */
  readonly only?: readonly string[] | undefined;
}

/** Most claimed deliveries that a process has in hand at a time. */
const MOST_AT_ONCE = 64;

/** Most of these on one channel, and to one destination, so that a slow one leaves room for the others. */
const MOST_OF_CHANNEL = (MOST_AT_ONCE * 3) / 4;
export const MOST_OF_DESTINATION = MOST_OF_CHANNEL / 2;

/** A paced destination's next delivery is claimed when its slot is so near, since the ledger is asked again after that. */
export const POLL_MS = 1000;

/** A destination is written `<channel>:<address>`, and no channel's name has a colon. */
export function channelOf(destination: string): string {
  return destination.split(':', 1).join();
}

/** How many to claim for each destination, so that a slow one does not delay the others. */
export function requestsFor(due: readonly string[], turns: ClaimTurns): readonly DueRequest[] {
  const share = Math.max(1, Math.floor(MOST_AT_ONCE / Math.max(1, due.length)));
  const taken = [...turns.inHand];
  return inTurn(due, turns.last).flatMap((destination) => {
    const limit = Math.min(share, pacedRoom(destination, turns), roomFor(destination, taken));
    if (limit <= 0) return [];
    taken.push(...Array.from({ length: limit }, () => destination));
    return { destination, limit, isBulkFirst: turns.isBulkFirst };
  });
}

/** Round robin over the sorted destinations, from the one after the last one served. */
function inTurn(due: readonly string[], last: string): readonly string[] {
  const isServed = (destination: string) => destination <= last;
  const inOrder = due.toSorted();
  return [...inOrder.filter((each) => !isServed(each)), ...inOrder.filter(isServed)];
}

function pacedRoom(destination: string, { waits }: ClaimTurns): number {
  const paced = [destination, channelOf(destination)].flatMap((key) => waits[key] ?? []);
  if (paced.length === 0) return Infinity;
  return Math.max(...paced) <= POLL_MS ? 1 : 0;
}

function roomFor(destination: string, inHand: readonly string[]): number {
  const channel = channelOf(destination);
  return Math.min(
    MOST_AT_ONCE - inHand.length,
    MOST_OF_CHANNEL - inHand.filter((other) => channelOf(other) === channel).length,
    MOST_OF_DESTINATION - inHand.filter((other) => other === destination).length,
  );
}
