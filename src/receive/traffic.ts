/** How many callbacks are being handled, how many may be, and when the last one is through. */
import { unavailable } from './answer.ts';

export class Traffic {
  readonly #maxInFlight: number;
  #inFlight = 0;
  #isDraining = false;
  #onIdle: (() => void) | undefined;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** @throws {HttpProblem} 503 while draining or past the limit */
  async pass(work: () => Promise<unknown>): Promise<void> {
    if (this.#isDraining) throw unavailable('Botbell is shutting down.');
    if (this.#inFlight >= this.#maxInFlight)
      throw unavailable('Too many callbacks are being handled at once.');
    this.#inFlight += 1;
    try {
      await work();
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#onIdle?.();
    }
  }

  /** Lets nothing more in; resolves when what is in flight is through. */
  drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}
