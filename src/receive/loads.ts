/** Whether this process takes callbacks, and how much of them at once; who comes past that is answered 503. */
import { type Clock, Deadline, UnderWay } from '../time/clock.ts';
import { unavailable } from './problems.ts';

/** What may be read and parsed at once, together; twice the largest body where that is more. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A body of this size is not counted: a connection may hold as much in any case. */
const SMALL_BYTES = 64 * 1024;

/** Of a body whose size is not known before it has been read: chunked, or compressed. */
const UNKNOWN_BYTES = 1024 * 1024;

/** Callbacks of this size may take much of the heap; so many of them are handled at once. */
const LARGE_BYTES = 256 * 1024;
const LARGE_AT_ONCE = 2;

/** Whoever finds no room in `max_in_flight` waits so long: a burst is written down in less, and a 503 costs the BOT 30 s. */
const MOMENT_MS = 1000;

export type Release = () => void;

interface LoadLimits {
  readonly maxBodyBytes: number;
  /** Callbacks handled at once. */
  readonly maxInFlight: number;
}

export class Loads {
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  readonly #all: Gate;
  readonly #large: Gate;
  readonly #inFlight = new UnderWay();
  #mostBytes = 0;
  #bytes = 0;
  #isDraining = false;

  constructor(clock: Pick<Clock, 'monotonic' | 'startTimer'>, limits: LoadLimits) {
    this.#clock = clock;
    this.#all = new Gate(clock, limits.maxInFlight);
    this.#large = new Gate(clock, LARGE_AT_ONCE);
    this.resize(limits);
  }

  resize({ maxBodyBytes, maxInFlight }: LoadLimits): void {
    this.#mostBytes = Math.max(MOST_BYTES, 2 * maxBodyBytes);
    this.#all.most = maxInFlight;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Lets nothing more in; resolves when what is in flight is through. */
  drain(): Promise<void> {
    this.#isDraining = true;
    return this.#inFlight.idle();
  }

  /**
   * A body is to be read.
   * @param announced its size in bytes; undefined: it is not known
   * @returns to be called when it has been parsed, or was not; again has no effect
   * @throws {HttpProblem} 503
   */
  read(announced: number | undefined): Release {
    this.#refuseWhileDraining();
    const bytes = announced ?? UNKNOWN_BYTES;
    if (bytes <= SMALL_BYTES) return () => undefined;
    if (this.#bytes + bytes > this.#mostBytes)
      throw unavailable('The callbacks that are being read take all the memory that there is for them.');
    let held = bytes;
    this.#bytes += held;
    return () => {
      this.#bytes -= held;
      held = 0;
    };
  }

  /**
   * Parses and handles a body that was read, in its turn.
   * @param until by the monotonic clock
   * @throws {HttpProblem} 503, where there was no room in time
   */
  handle<T>(bytes: number, until: number, work: () => Promise<T>): Promise<T> {
    const inTurn = bytes > LARGE_BYTES ? () => this.#large.during(until, work) : work;
    const momentEnds = Math.min(until, this.#clock.monotonic() + MOMENT_MS);
    return this.during(() => this.#all.during(momentEnds, inTurn));
  }

  /** One more in flight, its body read. @throws {HttpProblem} 503 while draining */
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

/** Lets so many in at once: the first that comes is the first that enters. */
class Gate {
  most: number;
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(clock: Pick<Clock, 'monotonic' | 'startTimer'>, most: number) {
    this.#clock = clock;
    this.most = most;
  }

  /** @throws {HttpProblem} 503 */
  async during<T>(until: number, work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.most) this.#inside += 1;
    else await this.#turn(until);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #turn(until: number): Promise<void> {
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
    const deadline = new Deadline(this.#clock, until - this.#clock.monotonic());
    try {
      await deadline.bound(turn, () => this.#leave());
    } catch (cause) {
      throw unavailable('Too many callbacks are being handled at once.', cause);
    }
  }

  /** The place goes to who has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inside -= 1;
    else next();
  }
}
