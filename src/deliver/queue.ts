/** What waits for the slots of one paced destination: pure but for what it remembers. */

/** What was given back in bulk comes after what is new, but gets every fourth turn. */
const BULK_EVERY = 4;

export interface Queued {
  readonly callbackId: number;
  readonly isGivenBack: boolean;
}

export class DestinationQueue<Task extends Queued> {
  readonly #waiting = new Set<Task>();
  #turns = 0;
  /** Somebody takes one after the other out of it. */
  isServed = false;

  get length(): number {
    return this.#waiting.size;
  }

  add(task: Task): void {
    this.#waiting.add(task);
  }

  /** @returns whether it was there */
  remove(task: Task): boolean {
    return this.#waiting.delete(task);
  }

  /** Whose turn is next: the oldest callback. */
  get first(): Task | undefined {
    const isBulkTurn = this.#turns % BULK_EVERY === BULK_EVERY - 1;
    const [first] = [...this.#waiting].toSorted(
      (a, b) =>
        Number(a.isGivenBack !== isBulkTurn) - Number(b.isGivenBack !== isBulkTurn) ||
        a.callbackId - b.callbackId,
    );
    return first;
  }

  /** Takes out whose turn it is. */
  shift(): Task | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.#waiting.delete(first);
    this.#turns += 1;
    return first;
  }

  /** How many of them have their turn before the task, as it looks now. */
  ahead({ callbackId }: Queued): number {
    return [...this.#waiting].filter((other) => other.callbackId < callbackId).length;
  }
}
