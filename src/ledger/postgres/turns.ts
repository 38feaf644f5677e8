/** Where calls that share a transaction are, so that its last statements are known, and its rows are locked in one order. */
export class Turns<Call> {
  /** In the order of the transaction. */
  readonly #atWork: Set<Call>;
  readonly #waiting = new Map<Call, () => void>();
  #hasFailed = false;

  constructor(calls: readonly Call[]) {
    this.#atWork = new Set(calls);
  }

  /** Waits until each other call waits here, or asks nothing more; then they go on in their order. To be called at most once for each call. */
  wait(call: Call): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(call, resolve);
      this.#goOn();
    });
  }

  /** The call asks nothing more. @returns whether it is the last one, and none has failed */
  end(call: Call): boolean {
    const isFirstTime = this.#atWork.delete(call);
    this.#goOn();
    return isFirstTime && this.#atWork.size === 0 && !this.#hasFailed;
  }

  fail(call: Call): void {
    this.#hasFailed = true;
    this.end(call);
  }

  #goOn(): void {
    if (this.#waiting.size < this.#atWork.size) return;
    const next = [...this.#atWork].flatMap((call) => this.#waiting.get(call) ?? []);
    this.#waiting.clear();
    for (const goOn of next) goOn();
  }
}
