/** The order inside a job: what overtakes what, and who must wait for whom. Pure. */
import type { PlaceInJob, Predecessor } from './hot-statements.ts';
import type { NewDelivery } from './rows.ts';

/** `status` of a callback whose job has begun and not ended (callback interface). */
export const EXECUTING = 2;

export function isResult({ status }: { readonly status: number }): boolean {
  return status !== EXECUTING;
}

type Place = Pick<PlaceInJob, 'jobId' | 'destination'>;

/** Jobs of which the ledger knows more than one callback, while callbacks of theirs are admitted one after the other. */
export class JobOrder {
  readonly #superseded: ReadonlySet<number>;
  readonly #last = new Map<string, Predecessor | NewDelivery>();

  /**
   * @param superseded ids of the callbacks that are `executing` and came after their job's result
   * @param pending the last pending delivery at each place; undefined: none
   */
  constructor(
    superseded: ReadonlySet<number>,
    places: readonly Place[],
    pending: readonly (Predecessor | undefined)[],
  ) {
    this.#superseded = superseded;
    places.forEach((place, index) => {
      const last = pending[index];
      if (last !== undefined) this.#last.set(keyOf(place), last);
    });
  }

  /** Nobody is to be told. */
  isSuperseded(callbackId: number): boolean {
    return this.#superseded.has(callbackId);
  }

  /** The delivery after which the next one of the job would come. */
  lastAt(place: Place): Predecessor | NewDelivery | undefined {
    return this.#last.get(keyOf(place));
  }

  append(place: Place, delivery: NewDelivery): void {
    this.#last.set(keyOf(place), delivery);
  }
}

function keyOf({ jobId, destination }: Place): string {
  return `${jobId}\n${destination}`;
}
