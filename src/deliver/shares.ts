/** How many callbacks may wait for one channel, BOT or job, so that the others are still let in. */

/** Who a callback in flight is, and for which channels it waits. */
export interface Waiting {
  readonly botId: string;
  readonly jobId: string;
  readonly channels: ReadonlySet<string>;
}

export class Shares {
  readonly #mostOfChannel: number;
  readonly #mostOfBot: number;
  readonly #mostOfJob: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** @param mostInFlight how many callbacks are handled at once (`receiver.max_in_flight`) */
  constructor(mostInFlight: number) {
    this.#mostOfChannel = Math.ceil(mostInFlight / 2);
    this.#mostOfBot = Math.ceil(mostInFlight / 2);
    this.#mostOfJob = Math.ceil(mostInFlight / 4);
  }

  /**
   * One more waits; who has entered must leave.
   * @returns the channels for which it may wait: none where its BOT or its job has its share and somebody else waits, too
   */
  enter({ botId, jobId, channels }: Waiting): Waiting {
    const isTooMany =
      this.#isOverShare(`bot ${botId}`, this.#mostOfBot) ||
      this.#isOverShare(`job ${jobId}`, this.#mostOfJob);
    const isOpen = (channel: string) => this.#countOf(`channel ${channel}`) < this.#mostOfChannel;
    const entered = { botId, jobId, channels: new Set(isTooMany ? [] : [...channels].filter(isOpen)) };
    if (entered.channels.size > 0) this.#add(entered, 1);
    return entered;
  }

  /** @param entered as `enter` has returned it */
  leave(entered: Waiting): void {
    if (entered.channels.size > 0) this.#add(entered, -1);
  }

  #isOverShare(key: string, most: number): boolean {
    const count = this.#countOf(key);
    return count >= most && this.#total > count;
  }

  #add({ botId, jobId, channels }: Waiting, change: 1 | -1): void {
    this.#total += change;
    this.#addTo(`bot ${botId}`, change);
    this.#addTo(`job ${jobId}`, change);
    for (const channel of channels) this.#addTo(`channel ${channel}`, change);
  }

  #addTo(key: string, change: 1 | -1): void {
    const count = this.#countOf(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}
