/** How much of callbacks this process reads and handles at once; who comes past that is answered 503. */
import { type Clock, Deadline, DeadlinePassed, UnderWay } from '../time/clock.ts';
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

export type Release = () => void;

export class Loads {
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  #mostBytes = 0;
  #bytes = 0;
  #large = 0;
  /** Large ones; the bytes that are read at once bound how many there can be. */
  readonly #waiting = new Set<() => void>();

  /** @param maxBodyBytes of one body */
  constructor(clock: Pick<Clock, 'monotonic' | 'startTimer'>, maxBodyBytes: number) {
    this.#clock = clock;
    this.resize(maxBodyBytes);
  }

  resize(maxBodyBytes: number): void {
    this.#mostBytes = Math.max(MOST_BYTES, 2 * maxBodyBytes);
  }

  /**
   * A body is to be read.
   * @param announced its size in bytes; undefined: it is not known
   * @returns to be called when it has been parsed, or was not; again has no effect
   * @throws {HttpProblem} 503
   */
  read(announced: number | undefined): Release {
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
   * A body that was read is to be parsed and handled; a large one waits for those before it.
   * @param until by the monotonic clock
   * @returns to be called when it has been handled
   * @throws {HttpProblem} 503, where there was no room in time
   */
  async handle(bytes: number, until: number): Promise<Release> {
    if (bytes <= LARGE_BYTES) return () => undefined;
    while (this.#large >= LARGE_AT_ONCE) await this.#room(until);
    this.#large += 1;
    return () => {
      this.#large -= 1;
      const [next] = this.#waiting;
      next?.();
    };
  }

  async #room(until: number): Promise<void> {
    let wake = () => {};
    const woken = new Promise<void>((resolve) => (wake = resolve));
    this.#waiting.add(wake);
    try {
      await new Deadline(this.#clock, until - this.#clock.monotonic()).bound(woken);
    } catch (error) {
      if (!(error instanceof DeadlinePassed)) throw error;
      throw unavailable('Too many large callbacks are being handled at once.', error);
    } finally {
      this.#waiting.delete(wake);
    }
  }
}

/** Whether callbacks are taken, and when the last one that was taken is through. */
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

  /** One more, its body read. @throws {HttpProblem} 503 while draining */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.refuseWhileDraining();
    this.#inFlight.begin();
    try {
      return await work();
    } finally {
      this.#inFlight.end();
    }
  }

  /** Lets nothing more in; resolves when what is in flight is through. */
  drain(): Promise<void> {
    this.#isDraining = true;
    return this.#inFlight.idle();
  }
}
