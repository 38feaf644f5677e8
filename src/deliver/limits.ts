/** How many POSTs may wait for one destination, BOT or job: those past that are taken over. */
/** Of `max_in_flight`: what waits for one destination, BOT or job. */
const SHARE = 1 / 4;

export class Limits {
  #maxInFlight: number;
  readonly #waiting = new Map<string, number>();

  /** @param maxInFlight POSTs handled at once (`receiver.max_in_flight`) */
  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  resize(maxInFlight: number): void {
    this.#maxInFlight = maxInFlight;
  }

  /** Somebody waits for each of these. @returns whether all of them had room; if so, they are to be given back */
  take(keys: readonly string[]): boolean {
    const most = Math.ceil(this.#maxInFlight * SHARE);
    if (keys.some((key) => (this.#waiting.get(key) ?? 0) >= most)) return false;
    for (const key of keys) this.#change(key, 1);
    return true;
  }

  giveBack(keys: readonly string[]): void {
    for (const key of keys) this.#change(key, -1);
  }

  #change(key: string, by: number): void {
    const count = (this.#waiting.get(key) ?? 0) + by;
    if (count === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, count);
  }
}
