/** The deliveries in the hands of this process. */
import { type DeliveryName, isSame } from '../ledger/ledger.ts';
import type { Delivery } from './delivery.ts';

/** Those with the same id are two where the store has lost the first one. */
export class InHand {
  readonly #all = new Set<Delivery>();
  readonly #lastById = new Map<number, Delivery>();

  add(delivery: Delivery): void {
    this.#all.add(delivery);
    this.#lastById.set(delivery.record.id, delivery);
  }

  delete(delivery: Delivery): void {
    this.#all.delete(delivery);
    const { id } = delivery.record;
    if (this.#lastById.get(id) === delivery) this.#lastById.delete(id);
  }

  find(name: DeliveryName): Delivery | undefined {
    const found = this.#lastById.get(name.id);
    return found !== undefined && isSame(found.record, name) ? found : undefined;
  }

  byId(id: number): Delivery | undefined {
    return this.#lastById.get(id);
  }

  [Symbol.iterator](): Iterator<Delivery> {
    return this.#all.values();
  }
}
