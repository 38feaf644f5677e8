/** The deliveries in the hands of this process, and the calls that it makes for them at once. */
import { type Places, roomFor } from '../ledger/deliveries/turns.ts';
import { type DeliveryName, isSame } from '../ledger/ledger.ts';
import { Passing } from '../time/clock.ts';
import type { Delivery } from './delivery.ts';

export class InHand {
  readonly #byId = new Passing<number, Delivery>();
  /** The store has lost these, and given their ids to others. */
  #lost: readonly Delivery[] = [];

  add(delivery: Delivery): void {
    const { id } = delivery.record;
    const before = this.#byId.get(id);
    if (before !== undefined) this.#lost = [...this.#lost, before];
    this.#byId.set(id, delivery);
  }

  delete(delivery: Delivery): void {
    const { id } = delivery.record;
    if (this.#byId.get(id) === delivery) this.#byId.delete(id);
    else this.#lost = this.#lost.filter((each) => each !== delivery);
  }

  find(name: DeliveryName): Delivery | undefined {
    const found = this.#byId.get(name.id);
    return found !== undefined && isSame(found.record, name) ? found : undefined;
  }

  byId(id: number): Delivery | undefined {
    return this.#byId.get(id);
  }

  *[Symbol.iterator](): Generator<Delivery> {
    yield* this.#lost;
    yield* this.#byId;
  }
}

/** Most calls to one destination, so that one that does not answer leaves connections of its channel to others. */
const MOST_OF_DESTINATION = 40;

/** Nobody waits for a place that another destination's trouble holds. */
export class Calls implements Places {
  /** By destination: how many it has. */
  readonly #calls = new Map<string, number>();
  readonly troubled = new Set<string>();
  /** By destination, whoever has waited longest first: called when it has been given a place. */
  readonly #waiting = new Map<string, () => void>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  at(destination: string): number {
    return this.#calls.get(destination) ?? 0;
  }

  hasRoom(destination: string): boolean {
    return roomFor(destination, this, MOST_OF_DESTINATION) > 0;
  }

  /** Takes a place. @returns false: there is none now */
  begin(destination: string): boolean {
    if (!this.hasRoom(destination)) return false;
    this.#count(destination, 1);
    return true;
  }

  /** Resolves when the destination has been given a place; one at a time may wait for each. */
  async turn(destination: string): Promise<void> {
    if (!this.begin(destination))
      await new Promise<void>((resolve) => this.#waiting.set(destination, resolve));
  }

  end(destination: string): void {
    this.#count(destination, -1);
    for (const [next, give] of this.#waiting) {
      if (!this.begin(next)) continue;
      this.#waiting.delete(next);
      give();
    }
  }

  /** Says of a destination whether its last attempt has found somebody who answers, in time. */
  note(destination: string, isTroubled: boolean): void {
    if (isTroubled) this.troubled.add(destination);
    else this.troubled.delete(destination);
  }

  #count(destination: string, by: 1 | -1): void {
    this.#total += by;
    const calls = this.at(destination) + by;
    if (calls === 0) this.#calls.delete(destination);
    else this.#calls.set(destination, calls);
  }
}
