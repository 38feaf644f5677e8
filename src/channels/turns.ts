/** Hands out a channel's calls, first to the destination with the fewest, and no faster than the remote is to be asked. */
import { type Clock, systemClock } from '../time/clock.ts';

export interface TurnLimits {
  /** Connections at a time. */
  readonly connections: number;
  /** Mails in `perMs` milliseconds; 0: any number. */
  readonly mails: number;
  readonly perMs: number;
}

/** Of the connections that others leave, what one destination may have: where it does not answer, others have the rest. */
const SHARE = 0.8;

interface Waiting {
  readonly destination: string;
  readonly give: () => void;
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  readonly #waiting: Waiting[] = [];
  /** By destination: how many calls it has. */
  readonly #calls = new Map<string, number>();
  /** When the last mails began, as many as the rate counts, the oldest first. */
  readonly #begun: number[] = [];
  #taken = 0;
  #isTimed = false;

  constructor(limits: TurnLimits, clock: Pick<Clock, 'monotonic' | 'startTimer'> = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** As `Channel.turn`; bound, so that it can be passed as a function. */
  readonly take = (withinMs: number, destination: string): Promise<(() => void) | undefined> =>
    new Promise((resolve) => {
      const give = () => {
        stopTimer();
        resolve(() => {
          this.#count(destination, -1);
          this.#serve();
        });
      };
      const waiting = { destination, give };
      const stopTimer = this.#clock.startTimer(Math.max(0, withinMs), () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(undefined);
      });
      this.#waiting.push(waiting);
      this.#serve();
    });

  #serve(): void {
    const { mails } = this.#limits;
    for (let next = this.#next(); next !== undefined && !this.#isTimed; next = this.#next()) {
      const waitMs = this.#waitMs();
      if (waitMs > 0) return this.#serveIn(waitMs);
      if (mails > 0) this.#begun.push(this.#clock.monotonic());
      if (this.#begun.length > mails) this.#begun.shift();
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#count(next.destination, 1);
      next.give();
    }
  }

  /** @returns of the destinations with the fewest calls, who has waited longest; undefined: it has its share, or nobody waits */
  #next(): Waiting | undefined {
    const [first, ...later] = this.#waiting;
    if (first === undefined) return undefined;
    const fewest = later.reduce(
      (best, each) => (this.#callsOf(each) < this.#callsOf(best) ? each : best),
      first,
    );
    const free = this.#limits.connections - this.#taken;
    const calls = this.#callsOf(fewest);
    return free > 0 && calls < Math.max(1, Math.floor((free + calls) * SHARE)) ? fewest : undefined;
  }

  #callsOf({ destination }: Waiting): number {
    return this.#calls.get(destination) ?? 0;
  }

  #count(destination: string, by: 1 | -1): void {
    this.#taken += by;
    const calls = (this.#calls.get(destination) ?? 0) + by;
    if (calls === 0) this.#calls.delete(destination);
    else this.#calls.set(destination, calls);
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
