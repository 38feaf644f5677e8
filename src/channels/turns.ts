/** Hands out a channel's calls in the order in which they are asked for, and no faster than the remote is to be asked. */
import { type Clock, systemClock } from '../time/clock.ts';

export interface TurnLimits {
  /** Connections at a time. */
  readonly connections: number;
  /** Mails in `perMs` milliseconds; 0: any number. */
  readonly mails: number;
  readonly perMs: number;
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  readonly #waiting: (() => void)[] = [];
  /** When the last mails began, as many as the rate counts, the oldest first. */
  readonly #begun: number[] = [];
  #taken = 0;
  #isTimed = false;

  constructor(limits: TurnLimits, clock: Pick<Clock, 'monotonic' | 'startTimer'> = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** As `Channel.turn`; bound, so that it can be passed as a function. */
  readonly take = (withinMs: number): Promise<(() => void) | undefined> =>
    new Promise((resolve) => {
      const give = () => {
        stopTimer();
        resolve(() => {
          this.#taken -= 1;
          this.#serve();
        });
      };
      const stopTimer = this.#clock.startTimer(Math.max(0, withinMs), () => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        resolve(undefined);
      });
      this.#waiting.push(give);
      this.#serve();
    });

  #serve(): void {
    const { connections, mails } = this.#limits;
    while (this.#waiting.length > 0 && this.#taken < connections && !this.#isTimed) {
      const waitMs = this.#waitMs();
      if (waitMs > 0) return this.#serveIn(waitMs);
      if (mails > 0) this.#begun.push(this.#clock.monotonic());
      if (this.#begun.length > mails) this.#begun.shift();
      this.#taken += 1;
      this.#waiting.shift()?.();
    }
  }

  /** Milliseconds until the rate allows the next mail. */
  #waitMs(): number {
    const { mails, perMs } = this.#limits;
    const [oldest = 0] = this.#begun;
    return mails > 0 && this.#begun.length >= mails ? oldest + perMs - this.#clock.monotonic() : 0;
  }

  #serveIn(ms: number): void {
    this.#isTimed = true;
    this.#clock.startTimer(ms, () => {
      this.#isTimed = false;
      this.#serve();
    });
  }
}
