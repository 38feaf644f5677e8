/** Claims that nobody works on: their request was answered before the store said that it had committed them. */

export class OrphanedClaims {
  readonly #release: (ids: readonly number[], jobIds: readonly string[]) => Promise<void>;
  readonly #ids = new Set<number>();
  readonly #jobIds = new Set<string>();
  #flushing: Promise<void> | undefined;

  /** @param release must wait until whoever may still be committing claims for these jobs is through */
  constructor(release: (ids: readonly number[], jobIds: readonly string[]) => Promise<void>) {
    this.#release = release;
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  /** @param jobIds of deliveries that the store may not show yet */
  keep(ids: readonly number[], jobIds: readonly string[] = []): void {
    if (ids.length === 0) return;
    for (const id of ids) this.#ids.add(id);
    for (const jobId of jobIds) this.#jobIds.add(jobId);
  }

  /** Somebody works on them again. */
  adopt(ids: readonly number[]): void {
    for (const id of ids) this.#ids.delete(id);
  }

  /** Releases what is kept; never rejects, and keeps what could not be released. */
  flush(): Promise<void> {
    if (this.isEmpty) return Promise.resolve();
    this.#flushing ??= this.#releaseAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #releaseAll(): Promise<void> {
    const ids = [...this.#ids];
    const jobIds = [...this.#jobIds];
    try {
      await this.#release(ids, jobIds);
    } catch {
      return;
    }
    this.adopt(ids);
    for (const jobId of jobIds) this.#jobIds.delete(jobId);
  }
}
