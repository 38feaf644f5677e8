/** Gives a channel's connections to its destinations in turn, no faster than the channel's rate allows. */
import { type Clock, Counts, systemClock } from '../time/clock.ts';

export interface TurnLimits {
  readonly connections: number;
  /** Mails in `perMs` milliseconds; left out: any number. */
  readonly mails?: number;
  readonly perMs?: number;
  /** Whether a destination's first call does not need a free connection: for channels whose destinations are remotes of their own. */
  readonly isFirstFree?: boolean;
}

/** One destination may have this part of the connections that others do not use, so that a remote that does not answer leaves some free. */
const SHARE = 0.8;

type Turn = () => void;

export class Turns {
  readonly #limits: TurnLimits;
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  /** The waiting calls by destination; the destination whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<() => void>>();
  /** The calls under way, by destination. */
  readonly #calls = new Counts();
  /** When the last `mails` mails began, the oldest first. */
  readonly #begun: number[] = [];
  #isTimed = false;

  constructor(limits: TurnLimits, clock: Pick<Clock, 'monotonic' | 'startTimer'> = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** As `Channel.turn`; bound, so that it can be passed as a function. */
  readonly take = (withinMs: number, destination: string): Turn | Promise<Turn | undefined> => {
    if (this.#waiting.size === 0 && this.#hasShare(destination) && this.#waitMs() <= 0)
      return this.#begin(destination);
    return new Promise((resolve) => {
      const give = () => {
        stopTimer();
        resolve(this.#begin(destination));
      };
      const stopTimer = this.#clock.startTimer(Math.max(0, withinMs), () => {
        this.#remove(destination, give);
        resolve(undefined);
      });
      this.#waiting.set(destination, (this.#waiting.get(destination) ?? new Set()).add(give));
      this.serve();
    });
  };

  /** @returns a function that gives the connection back */
  #begin(destination: string): Turn {
    const { mails = 0 } = this.#limits;
    if (mails > 0) this.#begun.push(this.#clock.monotonic());
    if (this.#begun.length > mails) this.#begun.shift();
    this.#calls.add(destination, 1);
    return () => {
      this.#calls.add(destination, -1);
      this.serve();
    };
  }

  /** Serves whoever waits. To be called, too, when the limits have been raised. */
  serve(): void {
    for (let next = this.#next(); next !== undefined && !this.#isTimed; next = this.#next()) {
      const waitMs = this.#waitMs();
      if (waitMs > 0) return this.#serveIn(waitMs);
      const [destination, give] = next;
      this.#remove(destination, give);
      give();
    }
  }

  /** The call that has waited longest, of the first destination that has less than its share. */
  #next(): readonly [destination: string, give: () => void] | undefined {
    for (const [destination, [give]] of this.#waiting)
      if (give !== undefined && this.#hasShare(destination)) return [destination, give];
    return undefined;
  }

  #hasShare(destination: string): boolean {
    const free = this.#limits.connections - this.#calls.total;
    const calls = this.#calls.at(destination);
    if (calls === 0 && this.#limits.isFirstFree === true) return true;
    return free > 0 && calls < Math.max(1, Math.floor((free + calls) * SHARE));
  }

  /** Removes a waiting call, and puts its destination behind the others. */
  #remove(destination: string, give: () => void): void {
    const waiting = this.#waiting.get(destination);
    waiting?.delete(give);
    this.#waiting.delete(destination);
    if (waiting !== undefined && waiting.size > 0) this.#waiting.set(destination, waiting);
  }

  /** Milliseconds until the rate allows the next mail. */
  #waitMs(): number {
    const { mails = 0, perMs = 0 } = this.#limits;
    const [oldest = 0] = this.#begun;
    return mails > 0 && this.#begun.length >= mails ? oldest + perMs - this.#clock.monotonic() : 0;
  }

  #serveIn(ms: number): void {
    this.#isTimed = true;
    this.#clock.startTimer(ms, () => {
      this.#isTimed = false;
      this.serve();
    });
  }
}
