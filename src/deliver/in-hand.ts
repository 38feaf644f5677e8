/** The deliveries in the hands of this process. */
import { type DeliveryName, isSame } from '../ledger/ledger.ts';
import { Passing } from '../time/passing.ts';
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
