/** Whose turn it is among the destinations for which the ledger has something due: pure but for what it remembers. */
import type { DueRequest } from '../ledger/ledger.ts';

/** Deliveries that nobody waits for, attempted at once by this process. */
const MOST_AT_ONCE = 64;

/** So many of them on one channel, and to one destination: the trouble of one leaves room for the others. */
const MOST_OF_CHANNEL = (MOST_AT_ONCE * 3) / 4;
const MOST_OF_DESTINATION = MOST_OF_CHANNEL / 2;

/** One claim takes from so many destinations; the next one goes on with the others. */
const DESTINATIONS_PER_CLAIM = 16;

/** What was given back in bulk comes after what is new, but gets every fourth turn. */
const BULK_EVERY = 4;

/** Key of the count of all; no destination or channel has it. */
const ALL = '';

/** A destination for which the ledger has something due. */
interface Due {
  hasBulk: boolean;
  /** Deliveries that were asked for since anything was due without a break. */
  turns: number;
  /** Something has become due since the last claim was asked for. */
  isNew: boolean;
  /** The last claim has left some. */
  isMore: boolean;
}

export class DueDestinations {
  /** In turn: who was served goes to the end. */
  readonly #due = new Map<string, Due>();
  readonly #underWay = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#due.size === 0;
  }

  /** @param hasBulk undefined: as it was known */
  add(destination: string, hasBulk?: boolean): void {
    const known = this.#due.get(destination);
    const { turns = 0, isMore = false } = known ?? {};
    const due = { hasBulk: hasBulk ?? known?.hasBulk ?? false, turns, isMore, isNew: true };
    this.#due.set(destination, due);
  }

  /** Whether what comes now goes behind what is due there. */
  isBehind(destination: string, isPaced: boolean): boolean {
    const due = this.#due.get(destination);
    return due !== undefined && (isPaced || due.isMore);
  }

  /** What to claim now. @param pacedRoom of a destination that keeps a pace; undefined: it keeps none */
  requests(pacedRoom: (destination: string) => number | undefined): DueRequest[] {
    const requests: DueRequest[] = [];
    const taken = new Map<string, number>();
    const share = Math.max(1, Math.floor(MOST_AT_ONCE / Math.max(1, this.#due.size)));
    for (const [destination, due] of Array.from(this.#due)) {
      if (requests.length >= DESTINATIONS_PER_CLAIM) break;
      const most = pacedRoom(destination) ?? share;
      const limit = Math.max(0, Math.min(most, this.#roomFor(destination, taken)));
      if (limit === 0) continue;
      const bulkTurns = due.hasBulk ? bulkTurnsAmong(due.turns, limit) : 0;
      requests.push({ destination, limit, bulkTurns });
      for (const key of [ALL, channelOf(destination)]) taken.set(key, (taken.get(key) ?? 0) + limit);
      this.#due.delete(destination);
      this.#due.set(destination, { ...due, isNew: false, turns: due.turns + limit });
    }
    return requests;
  }

  /** A claim has found so many of what it asked for. */
  claimed({ destination, limit }: DueRequest, found: number): void {
    const due = this.#due.get(destination);
    if (due === undefined) return;
    due.isMore = found >= limit;
    // A claim of large bodies finds less than there is.
    if (found === 0 && !due.isNew) this.#due.delete(destination);
  }

  /** An attempt more, or less, is under way there. */
  count(destination: string, change: 1 | -1): void {
    for (const key of [ALL, destination, channelOf(destination)])
      this.#underWay.set(key, this.#countOf(key) + change);
    if (this.#countOf(destination) === 0) this.#underWay.delete(destination);
  }

  /** @param taken by the same claim, of all and of each channel */
  #roomFor(destination: string, taken: ReadonlyMap<string, number>): number {
    const channel = channelOf(destination);
    return Math.min(
      MOST_AT_ONCE - this.#countOf(ALL) - (taken.get(ALL) ?? 0),
      MOST_OF_CHANNEL - this.#countOf(channel) - (taken.get(channel) ?? 0),
      MOST_OF_DESTINATION - this.#countOf(destination),
    );
  }

  #countOf(key: string): number {
    return this.#underWay.get(key) ?? 0;
  }
}

/** @param turns before these @param count how many follow */
function bulkTurnsAmong(turns: number, count: number): number {
  return Math.floor((turns + count) / BULK_EVERY) - Math.floor(turns / BULK_EVERY);
}

/** A destination is written `<channel>:<address>`, and no channel's name has a colon. */
export function channelOf(destination: string): string {
  return destination.slice(0, destination.indexOf(':'));
}
