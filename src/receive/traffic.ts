/** Whether callbacks are taken, and when the last one that was taken is through. */
import { UnderWay } from '../time/under-way.ts';
import { unavailable } from './answer.ts';

export class Traffic {
  readonly #inFlight = new UnderWay();
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** A sender that comes while draining need not send a body. @throws {HttpProblem} 503 */
  refuseWhileDraining(): void {
    if (this.#isDraining) throw unavailable('Botbell is shutting down.');
  }

  /** One more, its body read; who has entered must leave. @throws {HttpProblem} 503 while draining */
  enter(): void {
    this.refuseWhileDraining();
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
