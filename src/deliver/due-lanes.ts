/** Whose turn it is among the destinations for which something is due: pure but for what it remembers. */
import type { DueRequest } from '../ledger/due/due-request.ts';

/** Deliveries that the worker has under way at once. */
const MOST_AT_ONCE = 64;

/** So many of them on one channel, and to one destination: the trouble of one leaves room for the others. */
const MOST_OF_CHANNEL = (MOST_AT_ONCE * 3) / 4;
const MOST_OF_DESTINATION = MOST_OF_CHANNEL / 2;

/** One claim takes from so many destinations; the next one goes on with the others. */
const DESTINATIONS_PER_CLAIM = 16;

/** To claim few while many are under way costs a transaction each. */
const WORTH_CLAIMING = 8;

/** What was given back in bulk comes after what is new, but gets every fourth turn. */
const BULK_EVERY = 4;

/** Key of the count of all; no destination or channel has it. */
const ALL = '';

/** Of one destination. */
interface DueLane {
  /** A paced lane has been given a slot. */
  hasSlot: boolean;
  isWaitingForSlot: boolean;
  /** Something has become due since the last claim was asked for. */
  isNew: boolean;
  /** Something there was given back in bulk, as far as is known. */
  hasBulk: boolean;
  /** Deliveries that were asked for since anything was due without a break. */
  readonly turns: number;
}

const EMPTY = { hasSlot: false, isWaitingForSlot: false, isNew: true, turns: 0 } as const;

/** @param turns before these @param count how many follow */
function bulkTurnsAmong(turns: number, count: number): number {
  return Math.floor((turns + count) / BULK_EVERY) - Math.floor(turns / BULK_EVERY);
}

export class DueLanes {
  /** In turn: who was served goes to the end. */
  readonly #lanes = new Map<string, DueLane>();
  readonly #underWay = new Map<string, number>();

  /**
   * Something is due for it.
   * @param hasBulk undefined: as it was known
   */
  add(destination: string, hasBulk?: boolean): void {
    const lane = this.#lanes.get(destination);
    if (lane === undefined) {
      this.#lanes.set(destination, { ...EMPTY, hasBulk: hasBulk ?? false });
      return;
    }
    lane.isNew = true;
    lane.hasBulk = hasBulk ?? lane.hasBulk;
  }

  /** A claim has found less than it asked for, so that nothing more is due, unless that has come meanwhile. */
  foundAll(destination: string): void {
    if (this.#lanes.get(destination)?.isNew === false) this.#lanes.delete(destination);
  }

  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  /**
   * What to claim now.
   * @param isPaced whether a destination may be sent something only in its slots
   * @param onSlotNeeded for a paced destination that waits for no slot yet
   */
  next(isPaced: (destination: string) => boolean, onSlotNeeded: (destination: string) => void): DueRequest[] {
    const requests: DueRequest[] = [];
    const taken = new Map<string, number>();
    for (const [destination, lane] of Array.from(this.#lanes)) {
      if (requests.length >= DESTINATIONS_PER_CLAIM) break;
      const room = this.#roomFor(destination, taken);
      const isOnlyInSlots = isPaced(destination);
      if (isOnlyInSlots ? !this.#hasSlot(destination, lane, onSlotNeeded) : !this.#isWorth(destination, room))
        continue;
      const limit = Math.min(room, isOnlyInSlots ? 1 : Math.max(this.#fairShare(), WORTH_CLAIMING));
      if (limit === 0) continue;
      requests.push({ destination, limit, bulkTurns: lane.hasBulk ? bulkTurnsAmong(lane.turns, limit) : 0 });
      for (const key of [ALL, channelOf(destination)]) taken.set(key, (taken.get(key) ?? 0) + limit);
      this.#lanes.delete(destination);
      this.#lanes.set(destination, { ...lane, hasSlot: false, isNew: false, turns: lane.turns + limit });
    }
    return requests;
  }

  /** A slot has come; undefined: there is none. */
  giveSlot(destination: string, hasSlot: boolean): void {
    const lane = this.#lanes.get(destination);
    if (lane === undefined) return;
    lane.isWaitingForSlot = false;
    lane.hasSlot = hasSlot;
  }

  begin(destination: string): void {
    this.#count(destination, 1);
  }

  end(destination: string): void {
    this.#count(destination, -1);
  }

  #hasSlot(destination: string, lane: DueLane, onSlotNeeded: (destination: string) => void): boolean {
    if (!lane.hasSlot && !lane.isWaitingForSlot) {
      lane.isWaitingForSlot = true;
      onSlotNeeded(destination);
    }
    return lane.hasSlot;
  }

  #fairShare(): number {
    return Math.floor((MOST_AT_ONCE - this.#underWayOf(ALL)) / this.#lanes.size);
  }

  /** @param taken by the same claim, of all and of each channel */
  #roomFor(destination: string, taken: ReadonlyMap<string, number>): number {
    const channel = channelOf(destination);
    const room = Math.min(
      MOST_AT_ONCE - this.#underWayOf(ALL) - (taken.get(ALL) ?? 0),
      MOST_OF_CHANNEL - this.#underWayOf(channel) - (taken.get(channel) ?? 0),
      MOST_OF_DESTINATION - this.#underWayOf(destination),
    );
    return Math.max(0, room);
  }

  #isWorth(destination: string, room: number): boolean {
    return room >= WORTH_CLAIMING || this.#underWayOf(destination) === 0;
  }

  #count(destination: string, change: 1 | -1): void {
    for (const key of [ALL, destination, channelOf(destination)]) {
      const count = this.#underWayOf(key) + change;
      if (count === 0) this.#underWay.delete(key);
      else this.#underWay.set(key, count);
    }
  }

  #underWayOf(key: string): number {
    return this.#underWay.get(key) ?? 0;
  }
}

/** The ledger's destinations are written `<channel>:<address>`, and no channel's name has a colon. */
export function channelOf(destination: string): string {
  return destination.slice(0, destination.indexOf(':'));
}
