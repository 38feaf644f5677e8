/** A map of what is under way, in the order in which it came. */

/**
 * A churning `Map` keeps alive what was taken out of it until all garbage is collected, since V8 leaves its outgrown tables as they
 * were. This one empties the entry first; its keys are ids.
 */
export class Passing<Key, Value> {
  readonly #entries = new Map<Key, { value: Value | undefined }>();

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, { value });
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.value = undefined;
    this.#entries.delete(key);
  }

  *[Symbol.iterator](): Generator<Value> {
    for (const { value } of this.#entries.values()) if (value !== undefined) yield value;
  }
}
