/**
 * Bodies in chunks may come in pieces of one byte, each of which takes as long as a piece of 64 kB: who sends them gets
 * read in turns.
 */
import type { Socket } from 'node:net';

/** Smaller pieces are crumbs. */
export const CRUMB_BYTES = 256;

/** Of all senders together, each turn being one read, so that they leave most of the time to others. */
const CRUMBS_EVERY_MS = 10;

/** Of who waits, one after the other. */
export class CrumbTurns {
  readonly #waiting = new Set<() => void>();
  #isServing = false;

  /** @returns what leaves the queue before its turn has come */
  wait(goOn: () => void): () => void {
    this.#waiting.add(goOn);
    if (!this.#isServing) this.#serveNext();
    return () => this.#waiting.delete(goOn);
  }

  #serveNext(): void {
    this.#isServing = this.#waiting.size > 0;
    if (!this.#isServing) return;
    setTimeout(() => {
      const [next] = this.#waiting;
      if (next !== undefined) this.#waiting.delete(next);
      next?.();
      this.#serveNext();
    }, CRUMBS_EVERY_MS);
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
    // Node resumes a connection by itself, with each piece that is taken.
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
