/** The slots for callbacks that are being handled at once (`receiver.max_in_flight`), and a short, fair queue for them. */
import type { Clock } from '../time/clock.ts';

/** No slot came free in time, or too many wait for one. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';

  constructor() {
    super('Too many callbacks are being handled at once');
  }
}

interface Waiting {
  readonly botId: string;
  readonly begin: () => void;
  readonly refuse: () => void;
}

export interface SlotsOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  /** How many there are; as many may wait. */
  readonly most: number;
}

export class Slots {
  readonly #clock: SlotsOptions['clock'];
  #most: number;
  /** Of each BOT in the order in which they came; the BOTs in turn. */
  readonly #queues = new Map<string, Set<Waiting>>();
  #taken = 0;
  #waiting = 0;

  constructor({ clock, most }: SlotsOptions) {
    this.#clock = clock;
    this.#most = most;
  }

  /** There are so many from now on; who has one keeps it. */
  resize(most: number): void {
    this.#most = most;
    for (let free = most - this.#taken; free > 0 && this.#waiting > 0; free -= 1) {
      this.#taken += 1;
      this.#beginNext();
    }
  }

  /** @returns whether one was free; where somebody waits, none is */
  takeNow(): boolean {
    if (this.#taken >= this.#most) return false;
    this.#taken += 1;
    return true;
  }

  /**
   * Waits for one while all are taken. The BOTs get one in turn, and where too many wait, the one with most of them loses
   * its last.
   * @param deadline by the monotonic clock
   * @returns undefined: it has one at once
   * @throws {Overloaded}
   */
  take(botId: string, deadline: number): Promise<void> | undefined {
    if (this.takeNow()) return undefined;
    return new Promise((resolve, reject) => {
      const stopTimer = this.#clock.startTimer(Math.max(0, deadline - this.#clock.monotonic()), () =>
        this.#refuse(waiting),
      );
      const waiting: Waiting = {
        botId,
        begin: () => {
          stopTimer();
          resolve();
        },
        refuse: () => {
          stopTimer();
          reject(new Overloaded());
        },
      };
      this.#enqueue(waiting);
      if (this.#waiting > this.#most) this.#refuseLastOfMost();
    });
  }

  giveBack(): void {
    if (this.#waiting === 0 || this.#taken > this.#most) this.#taken -= 1;
    else this.#beginNext();
  }

  #beginNext(): void {
    const [next] = this.#queues;
    if (next === undefined) return;
    const [botId, queue] = next;
    const [first] = queue;
    this.#queues.delete(botId);
    // Behind the other BOTs.
    this.#queues.set(botId, queue);
    if (first === undefined) return;
    this.#dequeue(first);
    first.begin();
  }

  #enqueue(waiting: Waiting): void {
    const queue = this.#queues.get(waiting.botId) ?? new Set();
    this.#queues.set(waiting.botId, queue.add(waiting));
    this.#waiting += 1;
  }

  #dequeue(waiting: Waiting): void {
    const queue = this.#queues.get(waiting.botId);
    if (queue?.delete(waiting) !== true) return;
    this.#waiting -= 1;
    if (queue.size === 0) this.#queues.delete(waiting.botId);
  }

  #refuse(waiting: Waiting): void {
    this.#dequeue(waiting);
    waiting.refuse();
  }

  #refuseLastOfMost(): void {
    let longest: ReadonlySet<Waiting> = new Set();
    for (const queue of this.#queues.values()) if (queue.size >= longest.size) longest = queue;
    const last = [...longest].at(-1);
    if (last !== undefined) this.#refuse(last);
  }
}
