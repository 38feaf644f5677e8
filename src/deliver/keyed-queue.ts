/** Work under the same key runs one after the other; work under different keys does not wait. */
export class KeyedQueue {
  /** Who waits for whoever is at work under a key. No results: the map's old tables would keep them for a while. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @param work rejects rather than throws */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turn(key);
    const running = turn === undefined ? work() : turn.then(work);
    const handOn = () => this.#handOn(key);
    running.then(handOn, handOn);
    return running;
  }

  /** Undefined: at once. */
  #turn(key: string): Promise<void> | undefined {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return new Promise((resolve) => waiting.push(resolve));
    this.#waiting.set(key, []);
    return undefined;
  }

  #handOn(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next === undefined) this.#waiting.delete(key);
    else next();
  }
}
