/** What a channel is busy with, so that closing it cuts nothing short. */
import { DeliveryFailure } from './failure.ts';

export class InFlight {
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  /** Runs `work` and remembers it until it settles. @throws {DeliveryFailure} `channel_closed` after `close` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closedFailure();
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Refuses new work, then resolves once all that was begun has settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }
}

function closedFailure(): DeliveryFailure {
  return new DeliveryFailure({
    class: 'transient',
    code: 'channel_closed',
    message: 'The channel was being closed, so nothing was sent; the next attempt uses its successor.',
  });
}
