/**
 * Bodies in chunks may come in pieces of one byte, each of which takes as long as a piece of 64 kB: who sends them gets
 * read in turns.
 */

/** Of all senders together, each turn being one step, so that they leave most of the time to others. */
const TURN_EVERY_MS = 10;

/** Of each source in the order in which they were asked for; the sources in turn. */
export class RoundRobin {
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
    }, TURN_EVERY_MS);
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
