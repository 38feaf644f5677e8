/**
 * Bodies in chunks may come in pieces of one byte, each of which takes as long as a piece of 64 kB: who sends them gets
 * read in turns.
 */
import type { Socket } from 'node:net';

/** Pieces are crumbs where more than such a part of a read stands between them: they have less than 300 bytes each. */
const PART_BETWEEN = 1 / 50;

/** A smaller read is no work, whatever it brings. */
const LEAST_READ_BYTES = 4096;

/** Of all senders together, each turn being one read, so that they leave most of the time to others. */
const CRUMBS_EVERY_MS = 10;

/** Of each source in the order in which they were asked for; the sources in turn. */
export class CrumbTurns {
  readonly #queues = new Map<string, Set<() => void>>();
  #isServing = false;

  /**
   * @param source what shares are given to
   * @returns what leaves the queue before its turn has come
   */
  wait(source: string, goOn: () => void): () => void {
    const queue = this.#queues.get(source) ?? new Set();
    this.#queues.set(source, queue.add(goOn));
    if (!this.#isServing) this.#serveNext();
    return () => this.#leave(source, goOn);
  }

  #leave(source: string, goOn: () => void): void {
    const queue = this.#queues.get(source);
    queue?.delete(goOn);
    if (queue?.size === 0) this.#queues.delete(source);
  }

  #serveNext(): void {
    this.#isServing = this.#queues.size > 0;
    if (!this.#isServing) return;
    setTimeout(() => {
      this.#takeNext()?.();
      this.#serveNext();
    }, CRUMBS_EVERY_MS);
  }

  #takeNext(): (() => void) | undefined {
    const [next] = this.#queues;
    if (next === undefined) return undefined;
    const [source, queue] = next;
    const [first] = queue;
    this.#queues.delete(source);
    if (first !== undefined) queue.delete(first);
    // Behind the other sources.
    if (queue.size > 0) this.#queues.set(source, queue);
    return first;
  }
}

/** Tells crumbs from what a connection has brought in all, and what of it was body. */
export class CrumbJudge {
  readonly #socket: Socket;
  #bytesSeen: number;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#bytesSeen = socket.bytesRead;
  }

  /** @param bodyBytes what the body has got by what was read since it was last asked */
  wereCrumbs(bodyBytes: number): boolean {
    const { bytesRead } = this.#socket;
    const read = bytesRead - this.#bytesSeen;
    this.#bytesSeen = bytesRead;
    return read >= LEAST_READ_BYTES && read - bodyBytes > read * PART_BETWEEN;
  }
}

const HELD = Symbol('held connection');

interface HoldableSocket extends Socket {
  [HELD]?: HeldConnection;
}

/** A connection of which no more is read for a while. What has come with the read under way is still parsed. */
export class HeldConnection {
  readonly #socket: Socket;
  #isHeld = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static of(socket: HoldableSocket): HeldConnection {
    return (socket[HELD] ??= new HeldConnection(socket));
  }

  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    // Node resumes a connection by itself when something is taken.
    this.#socket.on('resume', this.#keepPaused).pause();
  }

  goOn(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.off('resume', this.#keepPaused).resume();
  }

  readonly #keepPaused = (): void => {
    this.#socket.pause();
  };
}
