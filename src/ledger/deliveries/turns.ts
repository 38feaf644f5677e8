/** Whose turn it is: how many due deliveries of each destination a process claims. Pure. */
import { Counts } from '../../time/clock.ts';
import type { DueRequest } from '../ledger.ts';

/** What a process has in hand, and what it may send where. */
export interface ClaimTurns {
  readonly last: string;
  /** The destination of each claimed delivery that no POST waits for. */
  readonly inHand: readonly string[];
  /** Destinations in trouble (`Places`). */
  readonly troubled: readonly string[];
  /** Destinations, and channels as a whole, that keep a pace or a queue: milliseconds until the next message may go there. */
  readonly waits: Readonly<Record<string, number>>;
  /** Deliveries of bulk redeliveries come first this time. */
  readonly isBulkFirst: boolean;
  /** The only destinations whose deliveries it may claim; undefined: any. */
  readonly only?: readonly string[] | undefined;
}

/** Most places of a process. Half of them are for the first one of a destination alone, and as many for those that are in no trouble. */
const MOST = 512;
const HALF = MOST / 2;

/** Most claimed deliveries to one destination at a time. */
export const MOST_OF_DESTINATION = 24;

/** Most deliveries of one claim, so that POSTs are served between two. */
const MOST_OF_CLAIM = 64;

/** A paced destination's next delivery is claimed when its slot is so near, since the ledger is asked again after that. */
export const POLL_MS = 1000;

/** A destination is written `<channel>:<address>`, and no channel's name has a colon. */
export function channelOf(destination: string): string {
  return destination.split(':', 1).join();
}

/** Who has how many places of a process. */
export class Places extends Counts {
  /** Destinations whose last attempt found nobody who answers, or goes on past its time. */
  readonly troubled: Set<string>;

  constructor({ inHand, troubled }: Pick<ClaimTurns, 'inHand' | 'troubled'> = { inHand: [], troubled: [] }) {
    super();
    this.troubled = new Set(troubled);
    for (const destination of inHand) this.add(destination, 1);
  }

  /** How many places more the destination may have: one in any case, unless all are taken or trouble holds half of them. */
  roomFor(destination: string, most: number): number {
    const { total, troubled } = this;
    const own = this.at(destination);
    const isCrowded = total >= HALF && troubled.has(destination);
    const isKeptOut = isCrowded && [...troubled].reduce((sum, each) => sum + this.at(each), 0) >= HALF;
    const first = own === 0 && total < MOST && !isKeptOut ? 1 : 0;
    return Math.max(first, Math.min(most - own, HALF - total));
  }
}

/** How many to claim for each destination, in turn, so that a slow one does not delay the others. */
export function requestsFor(due: readonly string[], turns: ClaimTurns): readonly DueRequest[] {
  const { isBulkFirst, last } = turns;
  const places = new Places(turns);
  const share = Math.max(1, Math.floor(MOST_OF_CLAIM / Math.max(1, due.length)));
  const begun = places.total;
  return inTurn(due, last).flatMap((destination) => {
    // A destination in trouble is tried by one at a time.
    const most = places.troubled.has(destination) ? 1 : MOST_OF_DESTINATION;
    const left = MOST_OF_CLAIM - (places.total - begun);
    const room = places.roomFor(destination, most);
    const limit = Math.min(share, left, pacedRoom(destination, turns), room);
    if (limit <= 0) return [];
    places.add(destination, limit);
    return { destination, limit, isBulkFirst };
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
