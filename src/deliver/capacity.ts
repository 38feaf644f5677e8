/** How many callbacks are handled, and wait, at once: slots for all, shares of channels, BOTs and jobs, and what one takes of them. */
import type { Clock } from '../time/clock.ts';
import type { Callback } from '../callback/callback.ts';

/** No slot came free in time, or too many wait for one. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';

  constructor() {
    super('Too many callbacks are being handled at once');
  }
}

interface Waiting {
  readonly botId: string;
  readonly end: (hasSlot: boolean) => void;
}

export class Slots {
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  #most: number;
  /** Of each BOT in the order in which they came; the BOTs in turn. */
  readonly #queues = new Map<string, Set<Waiting>>();
  #taken = 0;
  #waiting = 0;

  /** @param most how many there are; as many may wait */
  constructor(clock: Pick<Clock, 'monotonic' | 'startTimer'>, most: number) {
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
   * @throws {Overloaded}
   */
  async take(botId: string, deadline: number): Promise<void> {
    if (this.takeNow()) return;
    const hasSlot = await new Promise<boolean>((resolve) => {
      const withinMs = Math.max(0, deadline - this.#clock.monotonic());
      const stopTimer = this.#clock.startTimer(withinMs, () => this.#end(waiting, false));
      const end = (isGiven: boolean) => {
        stopTimer();
        resolve(isGiven);
      };
      const waiting = { botId, end };
      this.#queues.set(botId, (this.#queues.get(botId) ?? new Set()).add(waiting));
      this.#waiting += 1;
      if (this.#waiting > this.#most) this.#refuseLastOfMost();
    });
    if (!hasSlot) throw new Overloaded();
  }

  giveBack(): void {
    if (this.#waiting === 0 || this.#taken > this.#most) this.#taken -= 1;
    else this.#beginNext();
  }

  #beginNext(): void {
    const [queue = new Set<Waiting>()] = this.#queues.values();
    const [first] = queue;
    if (first === undefined) return;
    this.#queues.delete(first.botId);
    // Behind the other BOTs.
    this.#queues.set(first.botId, queue);
    this.#end(first, true);
  }

  #end(waiting: Waiting, hasSlot: boolean): void {
    const queue = this.#queues.get(waiting.botId);
    if (queue?.delete(waiting) === true) this.#waiting -= 1;
    if (queue?.size === 0) this.#queues.delete(waiting.botId);
    waiting.end(hasSlot);
  }

  #refuseLastOfMost(): void {
    let longest: ReadonlySet<Waiting> = new Set();
    for (const queue of this.#queues.values()) if (queue.size >= longest.size) longest = queue;
    const last = [...longest].at(-1);
    if (last !== undefined) this.#end(last, false);
  }
}

/** Whose a callback is, by the beginnings of the ids: they are kept and compared many times, and may be megabytes long. */
export interface Party {
  readonly botId: string;
  readonly jobId: string;
}

const LONGEST_ID = 200;

export function partyOf(callback: Pick<Callback, 'bot_id' | 'job_id'>): Party {
  return { botId: callback.bot_id.slice(0, LONGEST_ID), jobId: callback.job_id.slice(0, LONGEST_ID) };
}

/** Parts of `max_in_flight`; the rest is for whoever only comes and is answered at once. */
const MOST_IN_ALL = 3 / 4;
const MOST_FOR_CHANNEL = 1 / 2;

/** Parts of a channel's places: of a BOT or a job that is there alone, which leaves the next one a few, and beside others. */
const MOST_ALONE = 7 / 8;
const MOST_OF_BOT = 1 / 2;
const MOST_OF_JOB = 1 / 4;

export class Shares {
  #mostInFlight: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** @param mostInFlight how many callbacks are handled at once (`receiver.max_in_flight`) */
  constructor(mostInFlight: number) {
    this.#mostInFlight = mostInFlight;
  }

  resize(mostInFlight: number): void {
    this.#mostInFlight = mostInFlight;
  }

  /** Whether one more callback may wait. */
  get hasRoom(): boolean {
    return this.#total < Math.ceil(this.#mostInFlight * MOST_IN_ALL);
  }

  /** Whether one more callback of the party may wait for the channel. */
  hasRoomFor(channel: string, party: Party): boolean {
    const most = Math.ceil(this.#mostInFlight * MOST_FOR_CHANNEL);
    const [inAll = 0, ofBot = 0, ofJob = 0] = keysOf(channel, party).map((key) => this.#countOf(key));
    const isWithin = (count: number, part: number) =>
      count < Math.ceil(most * (inAll > count ? part : MOST_ALONE));
    return inAll < most && isWithin(ofBot, MOST_OF_BOT) && isWithin(ofJob, MOST_OF_JOB);
  }

  /** A callback more, or less, waits. */
  change(by: 1 | -1): void {
    this.#total += by;
  }

  /** A callback more, or less, waits for the channel. */
  changeFor(channel: string, party: Party, by: 1 | -1): void {
    for (const key of keysOf(channel, party)) {
      const count = this.#countOf(key) + by;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
    }
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

function keysOf(channel: string, { botId, jobId }: Party): readonly string[] {
  return [`channel ${channel}`, `bot ${channel} ${botId}`, `job ${channel} ${jobId}`];
}

/** What all callbacks share. */
export interface Capacity {
  readonly slots: Slots;
  /** Of those who hold a slot to have something delivered. */
  readonly shares: Shares;
  /** Of those who hold none, and wait for what somebody else is attempting. */
  readonly waitingShares: Shares;
}

/** What they wait for stands for a channel. */
const TURN = 'turn';

/** Begins with a slot, which `rest` gives back unless something is being delivered. */
export class Occupancy {
  readonly #capacity: Capacity;
  readonly #party: Party;
  /** How many of its deliveries are at each channel. */
  readonly #deliveries = new Map<string, number>();
  #waiting = 0;
  #isResting = false;
  #isOver = false;

  constructor(capacity: Capacity, party: Party) {
    this.#capacity = capacity;
    this.#party = party;
  }

  /** One more delivery is to be made now. @returns whether there are a slot and a share for it; if so, it must leave */
  enter(channel: string): boolean {
    const count = this.#deliveries.get(channel) ?? 0;
    if (count === 0 && !this.#open(channel)) return false;
    this.#deliveries.set(channel, count + 1);
    return true;
  }

  leave(channel: string): void {
    const count = this.#deliveries.get(channel);
    if (count === undefined) return;
    if (count > 1) this.#deliveries.set(channel, count - 1);
    else this.#close(channel);
  }

  /** Nothing is to be done for it but its deliveries. */
  rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    if (this.#deliveries.size === 0) this.#capacity.slots.giveBack();
  }

  /** Waits for what others attempt. @returns undefined: too many wait already */
  async wait<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { waitingShares } = this.#capacity;
    if (this.#waiting === 0) {
      if (!waitingShares.hasRoomFor(TURN, this.#party)) return undefined;
      waitingShares.changeFor(TURN, this.#party, 1);
    }
    this.#waiting += 1;
    try {
      return await work();
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) waitingShares.changeFor(TURN, this.#party, -1);
    }
  }

  /** It has been answered. */
  end(): void {
    this.rest();
    for (const channel of this.#deliveries.keys()) this.#close(channel);
    this.#isOver = true;
  }

  #open(channel: string): boolean {
    const { shares, slots } = this.#capacity;
    const isFirst = this.#deliveries.size === 0;
    const hasRoom = (!isFirst || shares.hasRoom) && shares.hasRoomFor(channel, this.#party);
    if (this.#isOver || !hasRoom) return false;
    if (isFirst && this.#isResting && !slots.takeNow()) return false;
    if (isFirst) shares.change(1);
    shares.changeFor(channel, this.#party, 1);
    return true;
  }

  #close(channel: string): void {
    const { shares, slots } = this.#capacity;
    this.#deliveries.delete(channel);
    shares.changeFor(channel, this.#party, -1);
    if (this.#deliveries.size > 0) return;
    shares.change(-1);
    if (this.#isResting) slots.giveBack();
  }
}
