/** How many POSTs may wait for one destination, BOT or job: those past that are taken over. */
export class Limits {
  readonly #waiting = new Map<string, number>();

  /**
   * Somebody waits for each of these.
   * @param most that may wait for any of them
   * @returns whether all of them had room; if so, they are to be given back
   */
  take(keys: readonly string[], most: number): boolean {
    if (keys.some((key) => this.#count(key) >= most)) return false;
    for (const key of keys) this.#waiting.set(key, this.#count(key) + 1);
    return true;
  }

  giveBack(keys: readonly string[]): void {
    for (const key of keys) {
      const left = this.#count(key) - 1;
      if (left === 0) this.#waiting.delete(key);
      else this.#waiting.set(key, left);
    }
  }

  #count(key: string): number {
    return this.#waiting.get(key) ?? 0;
  }
}
