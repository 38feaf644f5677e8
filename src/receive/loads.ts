/** Limits the callbacks that this process takes at once, and their bytes. Callbacks past a limit are answered 503. */
import { type Clock, Deadline, UnderWay } from '../time/clock.ts';
import { LARGE_BYTES } from '../callback/callback.ts';
import { unavailable } from './problems.ts';

/** Bytes of all bodies that are read and parsed at once; twice the largest allowed body if that is more. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A body up to this size is not counted: a connection may buffer as much in any case. */
const SMALL_BYTES = 64 * 1024;

/** Callbacks of more than `LARGE_BYTES` are handled side by side up to this many bytes. None counts for more than half, so that two of any size fit. */
const LARGE_AT_ONCE_BYTES = 3 * 1024 * 1024;

/** How long a callback waits for room in `max_in_flight`: the ledger writes a burst in less, and a 503 delays the BOT by 30 s. */
const MOMENT_MS = 1000;

type Release = () => void;
type Timers = Pick<Clock, 'monotonic' | 'startTimer'>;

interface LoadLimits {
  readonly maxBodyBytes: number;
  readonly maxInFlight: number;
}

export class Loads {
  readonly #all: Gate;
  readonly #large: Gate;
  readonly #inFlight = new UnderWay();
  #mostBytes = 0;
  #bytes = 0;
  #isDraining = false;

  /** @param onFull called when a callback has to wait for room in `max_in_flight`, so that a POST that waits for deliveries can make room */
  constructor(clock: Timers, limits: LoadLimits, onFull: () => void = () => undefined) {
    this.#all = new Gate(clock, limits.maxInFlight, { mostMs: MOMENT_MS, onFull });
    this.#large = new Gate(clock, LARGE_AT_ONCE_BYTES);
    this.resize(limits);
  }

  resize({ maxBodyBytes, maxInFlight }: LoadLimits): void {
    this.#mostBytes = Math.max(MOST_BYTES, 2 * maxBodyBytes);
    this.#all.most = maxInFlight;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Takes no more callbacks; resolves when none is in flight. */
  drain(): Promise<void> {
    this.#isDraining = true;
    return this.#inFlight.idle();
  }

  /**
   * The memory of one body, to be asked for before it is read.
   * @param announced its bytes; left out: unknown @returns undefined: it is not counted @throws {HttpProblem} 503 while draining
   */
  reserve(announced = Infinity) {
    this.#refuseWhileDraining();
    if (announced <= SMALL_BYTES) return undefined;
    let [received, counted] = [0, 0];
    const count = (bytes: number) => {
      this.#bytes += bytes - counted;
      counted = bytes;
    };
    return {
      /** Counts bytes that have come. @throws {HttpProblem} 503: there is no room for them */
      add: (bytes: number) => {
        received += bytes;
        if (received <= SMALL_BYTES) return;
        if (this.#bytes - counted + received > this.#mostBytes)
          throw unavailable('The callbacks that are being read take all the memory that there is for them.');
        count(received);
      },
      /** To be called when the body was parsed or given up; further calls have no effect. */
      free: () => count(0),
    };
  }

  /**
   * Runs the work on a body that was read, as soon as there is room.
   * @param until by the monotonic clock
   * @param work gets, for a large body, a function that gives up its place among large bodies before the work ends
   * @throws {HttpProblem} 503: no room in time, or draining
   */
  async handle<T>(bytes: number, until: number, work: (leave?: Release) => Promise<T>): Promise<T> {
    this.#refuseWhileDraining();
    this.#inFlight.begin();
    const inside = () =>
      bytes <= LARGE_BYTES ? work() : this.#large.hold(until, Math.min(bytes, LARGE_AT_ONCE_BYTES / 2), work);
    try {
      return await this.#all.hold(until, 1, inside);
    } finally {
      this.#inFlight.end();
    }
  }

  /** Counts `work` as in flight until it settles. @throws {HttpProblem} 503 while draining */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#refuseWhileDraining();
    const done = work();
    this.#inFlight.until(done);
    return done;
  }

  #refuseWhileDraining(): void {
    if (this.#isDraining) throw unavailable('Botbell is shutting down.');
  }
}

/** `mostMs`: the longest wait for room. `onFull`: called when a wait begins, and again after half of that time. */
interface Waiting {
  readonly mostMs: number;
  readonly onFull: () => void;
}

/** A semaphore with room for `most` and a first-in, first-out queue. */
class Gate {
  most: number;
  readonly #clock: Timers;
  readonly #wait: Waiting | undefined;
  readonly #waiting: { readonly weight: number; readonly enter: () => void }[] = [];
  #inside = 0;

  constructor(clock: Timers, most: number, wait?: Waiting) {
    this.#clock = clock;
    this.most = most;
    this.#wait = wait;
  }

  /** Does the work as soon as there is room. @param work may give its room back before it ends @throws {HttpProblem} 503 */
  async hold<T>(until: number, weight: number, work: (leave: Release) => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#inside + weight <= this.most) this.#inside += weight;
    else await this.#turn(until, weight);
    let isInside = true;
    const leave = () => {
      if (isInside) this.#leave(weight);
      isInside = false;
    };
    try {
      return await work(leave);
    } finally {
      leave();
    }
  }

  async #turn(until: number, weight: number): Promise<void> {
    const { mostMs = Infinity, onFull } = this.#wait ?? {};
    const turn = new Promise<void>((enter) => this.#waiting.push({ weight, enter }));
    const deadline = new Deadline(this.#clock, Math.min(mostMs, until - this.#clock.monotonic()));
    onFull?.();
    const stopAsking = onFull && this.#clock.startTimer(mostMs / 2, onFull);
    try {
      await deadline.bound(turn, () => this.#leave(weight));
    } catch (cause) {
      throw unavailable('Too many callbacks are being handled at once.', cause);
    } finally {
      stopAsking?.();
    }
  }

  /** Gives the room to those that have waited longest. */
  #leave(weight: number): void {
    this.#inside -= weight;
    for (
      let [next] = this.#waiting;
      next && this.#inside + next.weight <= this.most;
      [next] = this.#waiting
    ) {
      this.#waiting.shift();
      this.#inside += next.weight;
      next.enter();
    }
  }
}
