/** How many callbacks are being handled, how many may be, and when the last one is through. */
import { UnderWay } from '../time/under-way.ts';
import { unavailable } from './answer.ts';

export class Traffic {
  readonly #maxInFlight: number;
  readonly #inFlight = new UnderWay();
  #isDraining = false;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Whoever comes while draining need not send a body. @throws {HttpProblem} 503 */
  refuseWhileDraining(): void {
    if (this.#isDraining) throw unavailable('Botbell is shutting down.');
  }

  /** One more, its body read; who has entered must leave. @throws {HttpProblem} 503 while draining or past the limit */
  enter(): void {
    this.refuseWhileDraining();
    if (this.#inFlight.count >= this.#maxInFlight)
      throw unavailable('Too many callbacks are being handled at once.');
    this.#inFlight.begin();
  }

  leave(): void {
    this.#inFlight.end();
  }

  /** Lets nothing more in; resolves when what is in flight is through. */
  drain(): Promise<void> {
    this.#isDraining = true;
    return this.#inFlight.idle();
  }
}
