/** Callbacks that have been admitted and not answered: what is still to be written of them needs their rows. */
import type { Admission, Settlement } from './ledger.ts';

/** Of a callback that comes again and again; whoever reads its history has seen enough by then. */
const MOST_ANSWERS = 1000;

/** One that nobody ever answers, since its request failed for a reason that nobody foresaw, is not remembered for ever. */
const MOST_REMEMBERED = 100_000;

export class CallbacksInHand {
  readonly #timesReceived = new Map<number, number>();

  begin({ callbackId, timesReceived }: Pick<Admission, 'callbackId' | 'timesReceived'>): void {
    this.#timesReceived.set(callbackId, timesReceived);
    if (this.#timesReceived.size <= MOST_REMEMBERED) return;
    const [oldest] = this.#timesReceived.keys();
    if (oldest !== undefined) this.#timesReceived.delete(oldest);
  }

  has(callbackId: number): boolean {
    return this.#timesReceived.has(callbackId);
  }

  /** @returns what of it is worth writing: a history that anybody may prolong has an end */
  end(settlement: Settlement): Settlement {
    const { history } = settlement;
    if (history?.answer === undefined) return settlement;
    const times = this.#timesReceived.get(history.callbackId) ?? 1;
    this.#timesReceived.delete(history.callbackId);
    const isTold = history.attempts.some(({ outcome }) => outcome === 'delivered');
    return times <= MOST_ANSWERS || isTold ? settlement : { ...settlement, history: undefined };
  }
}
