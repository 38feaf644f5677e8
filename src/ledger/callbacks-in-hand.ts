/** Callbacks that have been admitted and not answered: what is still to be written of them needs their rows. */
import type { Admission, Settlement } from './ledger.ts';

/** Of a callback that comes again and again; whoever reads its history has seen enough by then. */
const MOST_ANSWERS = 1000;

/** One that nobody ever answers, since its request failed for a reason that nobody foresaw, is not remembered for ever. */
const MOST_REMEMBERED = 100_000;

interface InHand {
  readonly timesReceived: number;
  /** That are not answered yet. */
  readonly requests: number;
}

export class CallbacksInHand {
  readonly #byId = new Map<number, InHand>();

  begin({ callbackId, timesReceived }: Pick<Admission, 'callbackId' | 'timesReceived'>): void {
    const requests = (this.#byId.get(callbackId)?.requests ?? 0) + 1;
    this.#byId.set(callbackId, { timesReceived, requests });
    if (this.#byId.size <= MOST_REMEMBERED) return;
    const [oldest] = this.#byId.keys();
    if (oldest !== undefined) this.#byId.delete(oldest);
  }

  has(callbackId: number): boolean {
    return this.#byId.has(callbackId);
  }

  /** @returns what of it is worth writing: a history that anybody may prolong has an end */
  worthWriting(settlement: Settlement): Settlement {
    const { history } = settlement;
    if (history?.answer === undefined) return settlement;
    const times = this.#byId.get(history.callbackId)?.timesReceived ?? 1;
    const isTold = history.attempts.some(({ outcome }) => outcome === 'delivered');
    return times <= MOST_ANSWERS || isTold ? settlement : { ...settlement, history: undefined };
  }

  /** It has been written, or could not be. */
  end({ history }: Settlement): void {
    if (history?.answer === undefined) return;
    const inHand = this.#byId.get(history.callbackId);
    if (inHand === undefined) return;
    const { timesReceived, requests } = inHand;
    if (requests <= 1) this.#byId.delete(history.callbackId);
    else this.#byId.set(history.callbackId, { timesReceived, requests: requests - 1 });
  }
}
