/** What one callback takes from the others while it is handled: a slot, and its part of the shares. */
import type { Party, Shares } from './shares.ts';
import type { Slots } from './slots.ts';

/** What all callbacks share. */
export interface Capacity {
  readonly slots: Slots;
  /** Of those who hold a slot to have something delivered. */
  readonly shares: Shares;
  /** Of those who hold none, and wait for what somebody else is attempting. */
  readonly waitingShares: Shares;
}

/** @param most callbacks that are handled at once (`receiver.max_in_flight`) */
export function resizeCapacity({ slots, shares, waitingShares }: Capacity, most: number): void {
  slots.resize(most);
  shares.resize(most);
  waitingShares.resize(most);
}

/** What they wait for stands for a channel. */
const TURN = 'turn';

/** Begins with a slot, which `rest` gives back unless something is being delivered. */
export class Occupancy {
  readonly #capacity: Capacity;
  readonly #party: Party;
  /** How many of its deliveries are at each channel. */
  readonly #deliveries = new Map<string, number>();
  #waiting = 0;
  #isResting = false;
  #isOver = false;

  constructor(capacity: Capacity, party: Party) {
    this.#capacity = capacity;
    this.#party = party;
  }

  /** One more delivery is to be made now. @returns whether there are a slot and a share for it; if so, it must leave */
  enter(channel: string): boolean {
    const count = this.#deliveries.get(channel) ?? 0;
    if (count === 0 && !this.#open(channel)) return false;
    this.#deliveries.set(channel, count + 1);
    return true;
  }

  leave(channel: string): void {
    const count = this.#deliveries.get(channel);
    if (count === undefined) return;
    if (count > 1) this.#deliveries.set(channel, count - 1);
    else this.#close(channel);
  }

  /** Nothing is to be done for it but its deliveries. */
  rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    if (this.#deliveries.size === 0) this.#capacity.slots.giveBack();
  }

  /** Waits for what others attempt. @returns undefined: too many wait already */
  async wait<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { waitingShares } = this.#capacity;
    if (this.#waiting === 0) {
      if (!waitingShares.hasRoomFor(TURN, this.#party)) return undefined;
      waitingShares.changeFor(TURN, this.#party, 1);
    }
    this.#waiting += 1;
    try {
      return await work();
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) waitingShares.changeFor(TURN, this.#party, -1);
    }
  }

  /** It has been answered. */
  end(): void {
    this.rest();
    for (const channel of this.#deliveries.keys()) this.#close(channel);
    this.#isOver = true;
  }

  #open(channel: string): boolean {
    const { shares, slots } = this.#capacity;
    const isFirst = this.#deliveries.size === 0;
    const hasRoom = (!isFirst || shares.hasRoom) && shares.hasRoomFor(channel, this.#party);
    if (this.#isOver || !hasRoom) return false;
    if (isFirst && this.#isResting && !slots.takeNow()) return false;
    if (isFirst) shares.change(1);
    shares.changeFor(channel, this.#party, 1);
    return true;
  }

  #close(channel: string): void {
    const { shares, slots } = this.#capacity;
    this.#deliveries.delete(channel);
    shares.changeFor(channel, this.#party, -1);
    if (this.#deliveries.size > 0) return;
    shares.change(-1);
    if (this.#isResting) slots.giveBack();
  }
}
