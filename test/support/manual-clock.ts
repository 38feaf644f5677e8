/** A clock that a test moves by hand: nothing sleeps for real, nothing depends on the machine's speed. */
import { setImmediate as nextTurn, setTimeout as realSleep } from 'node:timers/promises';
import type { Clock } from '../../src/time/clock.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The most turns of the event loop that work needs between two sleeps if it waits for nothing outside the process. */
const TURNS = 30;

interface Sleeper {
  readonly dueAt: number;
  wake(): void;
}

export class ManualClock implements Clock {
  #now: number;
  #setBy = 0;
  #sleepers: Sleeper[] = [];

  constructor(now = Date.UTC(2026, 10, 20)) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#setBy;
  }

  monotonic(): number {
    return this.#now;
  }

  /** A person sets the clock; sleepers sleep on. */
  setBy(ms: number): void {
    this.#setBy += ms;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.startTimer(ms, resolve);
    });
  }

  startTimer(ms: number, onTime: () => void): () => void {
    const sleeper = { dueAt: this.#now + ms, wake: onTime };
    this.#sleepers.push(sleeper);
    return () => {
      this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
    };
  }

  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Moves time on and wakes sleepers in order, each at its own time; the next one wakes after what the last one then does. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = this.#takeNext(end);
      if (next === undefined) break;
      this.#wake(next);
      await settle();
    }
    this.#now = end;
  }

  /** Moves time on from sleeper to sleeper until the promise settles, and passes its outcome on. */
  runUntil<T>(promise: Promise<T>): Promise<T> {
    return runOn(promise, () => this.#wakeNext());
  }

  /**
   * The same for work that also waits for something outside the process, such as a database server: time goes on by small steps, so
   * that no deadline passes before the server has had time to answer.
   */
  runAlong<T>(promise: Promise<T>): Promise<T> {
    return runOn(promise, async () => {
      await realSleep(1);
      await this.advance(2);
    });
  }

  #wakeNext(): void {
    const next = this.#takeNext(Number.POSITIVE_INFINITY);
    if (next === undefined) throw new Error('Nobody is asleep and the promise is still open.');
    this.#wake(next);
  }

  #wake({ dueAt, wake }: Sleeper): void {
    this.#now = Math.max(this.#now, dueAt);
    wake();
  }

  #takeNext(end: number): Sleeper | undefined {
    const [next] = this.#sleepers.filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt);
    this.#sleepers = this.#sleepers.filter((each) => each !== next);
    return next;
  }
}

async function runOn<T>(promise: Promise<T>, goOn: () => void | Promise<void>): Promise<T> {
  const state = { isSettled: false };
  const note = () => void (state.isSettled = true);
  promise.then(note, note);
  for (;;) {
    await settle();
    if (state.isSettled) return promise;
    await goOn();
  }
}

/** Lets everything happen that needs no time to pass; calls of the disk count as such. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    await nextTurn();
    // Work that waits for the disk needs all the turns after the disk's answer.
    if (process.getActiveResourcesInfo().includes('FSReqCallback')) turn = 0;
  }
}
