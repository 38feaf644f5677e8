/** What a channel is sending, so that closing it interrupts nothing. */
import { UnderWay } from '../time/under-way.ts';
import { DeliveryFailure } from './failure.ts';

export class InFlight {
  readonly #underWay = new UnderWay();
  #isClosed = false;

  /**
   * Runs `work` and remembers it until it settles.
   * @throws {DeliveryFailure} `channel_closed` after `close`, as a rejection
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(closedFailure());
    const running = work();
    this.#underWay.until(running);
    return running;
  }

  /** Refuses new work, then resolves once all that was begun has settled. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#underWay.idle();
  }
}

function closedFailure(): DeliveryFailure {
  return new DeliveryFailure({
    class: 'transient',
    code: 'channel_closed',
    message:
      'The channel was being closed, so nothing was sent; the next attempt uses the one that replaces it.',
  });
}
