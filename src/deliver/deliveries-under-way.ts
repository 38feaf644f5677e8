/** The deliveries that this process has in hand, and who waits for them. */

/** How a delivery that somebody waits for stands: through for good, or still to be made, but not by an attempt now. */
export type News = 'finished' | 'open';

export class DeliveryUnderWay {
  readonly id: number;
  /** Ends the attempt that is being made, as one of which nobody knows what came of it. */
  cut: (() => void) | undefined;
  #news: News | undefined;
  #isEnded = false;
  #isTakenOver = false;
  #waiting: { readonly forEnd: boolean; readonly tell: (news: News) => void }[] = [];

  constructor(id: number) {
    this.id = id;
  }

  /** Whether another request for the same callback has been answered that Botbell sees to it. */
  get isTakenOver(): boolean {
    return this.#isTakenOver;
  }

  takeOver(): void {
    this.#isTakenOver = true;
  }

  /** An attempt has failed: what waits for this one of its job waits no longer within its request. */
  stall(): void {
    this.#tell('open', ({ forEnd }) => !forEnd);
    this.#news = 'open';
  }

  end(news: News): void {
    this.#news = news;
    this.#isEnded = true;
    this.#tell(news, () => true);
  }

  /** Resolves when it is through and written down, or else when it is not being attempted any more. */
  untilStalled(): Promise<News> {
    return this.#news === undefined ? this.#wait(false) : Promise.resolve(this.#news);
  }

  /** Resolves when this process is done with it, and what came of it is written down. */
  untilEnded(): Promise<News> {
    return this.#isEnded ? Promise.resolve(this.#news ?? 'open') : this.#wait(true);
  }

  #wait(forEnd: boolean): Promise<News> {
    return new Promise((tell) => this.#waiting.push({ forEnd, tell }));
  }

  #tell(news: News, isMeant: (waiter: { readonly forEnd: boolean }) => boolean): void {
    const told = this.#waiting.filter(isMeant);
    this.#waiting = this.#waiting.filter((waiter) => !isMeant(waiter));
    for (const { tell } of told) tell(news);
  }
}

export class DeliveriesUnderWay {
  readonly #deliveries = new Map<number, DeliveryUnderWay>();
  readonly #onStop = new Set<() => void>();
  #isStopped = false;

  get isStopped(): boolean {
    return this.#isStopped;
  }

  begin(id: number): DeliveryUnderWay {
    const delivery = new DeliveryUnderWay(id);
    this.#deliveries.set(id, delivery);
    if (this.#isStopped) delivery.stall();
    return delivery;
  }

  get(id: number): DeliveryUnderWay | undefined {
    return this.#deliveries.get(id);
  }

  end(delivery: DeliveryUnderWay, news: News): void {
    if (this.#deliveries.get(delivery.id) === delivery) this.#deliveries.delete(delivery.id);
    delivery.end(news);
  }

  /** Nobody waits for another's attempt any more. */
  stop(): void {
    this.#isStopped = true;
    for (const delivery of this.#deliveries.values()) delivery.stall();
    for (const stop of this.#onStop) stop();
  }

  /** @returns ends the listening */
  whenStopped(onStop: () => void): () => void {
    this.#onStop.add(onStop);
    return () => void this.#onStop.delete(onStop);
  }

  /** Ends every attempt that is being made. */
  cut(): void {
    for (const delivery of this.#deliveries.values()) delivery.cut?.();
  }
}
