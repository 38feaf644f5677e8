/** Work that is under way, and reports of it, which must not change it. */

/**
 * Counts what is under way, and says when nothing is. It keeps nothing of it: a set to which everything is added for a
 * while leaves tables behind that V8 keeps, with all they held, until it next goes through the whole heap.
 */
export class UnderWay {
  #count = 0;
  #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }

  /** Bound, to be handed on as it is. */
  readonly end = (): void => {
    this.#count -= 1;
    if (this.#count > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  };

  /** Counts it until it settles. */
  until(settled: Promise<unknown>): void {
    this.begin();
    settled.then(this.end, this.end);
  }

  /** Resolves when nothing is under way, at once or later. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/**
 * What is done is done before it is reported: a report that throws must neither undo nor repeat it.
 * @param onThrown may throw as well: then there is nothing left to call
 */
export function unfailing<Args extends readonly unknown[]>(
  report: (...args: Args) => void,
  onThrown: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      report(...args);
    } catch (error) {
      try {
        onThrown(error);
      } catch {
        // The last resort has failed.
      }
    }
  };
}
