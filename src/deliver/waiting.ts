/** Counts how many POSTs wait for the same destination, BOT or job. Of what none waits for, nothing is kept: jobs come once. */
export class Waiting {
  readonly #counts = new Map<string, number>();

  /** Of what is waited for. */
  get size(): number {
    return this.#counts.size;
  }

  /** @returns false: `most` wait for it already */
  enter(what: string, most: number): boolean {
    const others = this.#counts.get(what) ?? 0;
    if (others >= most) return false;
    this.#counts.set(what, others + 1);
    return true;
  }

  /** By whoever has entered. */
  leave(what: string): void {
    const others = (this.#counts.get(what) ?? 1) - 1;
    if (others === 0) this.#counts.delete(what);
    else this.#counts.set(what, others);
  }
}
