/** Which channels asked to be left alone, and until when. */
import type { Clock } from '../time/clock.ts';

export class RemotePauses {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #until = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  pause(channel: string, ms: number): void {
    if (ms <= 0) return;
    const until = this.#clock.now() + ms;
    if (until > (this.#until.get(channel) ?? 0)) this.#until.set(channel, until);
  }

  /** Milliseconds that the channel is still to be left alone; 0 for none. */
  remaining(channel: string): number {
    return Math.max(0, (this.#until.get(channel) ?? 0) - this.#clock.now());
  }

  /** The channels that are to be left alone now. */
  paused(): string[] {
    return [...this.#until.keys()].filter((channel) => this.remaining(channel) > 0);
  }
}
