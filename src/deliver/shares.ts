/** How many callbacks may wait at once, so that there is room for the others: in all, for a channel, of a BOT, of a job. */
import type { Callback } from '../callback/callback.ts';

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
  #mostInAll = 0;
  #mostForChannel = 0;
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** @param mostInFlight how many callbacks are handled at once (`receiver.max_in_flight`) */
  constructor(mostInFlight: number) {
    this.resize(mostInFlight);
  }

  resize(mostInFlight: number): void {
    this.#mostInAll = Math.ceil(mostInFlight * MOST_IN_ALL);
    this.#mostForChannel = Math.ceil(mostInFlight * MOST_FOR_CHANNEL);
  }

  /** Whether one more callback may wait. */
  get hasRoom(): boolean {
    return this.#total < this.#mostInAll;
  }

  /** Whether one more callback of the party may wait for the channel. */
  hasRoomFor(channel: string, { botId, jobId }: Party): boolean {
    const inAll = this.#countOf(channelKey(channel));
    const isWithin = (count: number, part: number) =>
      count < Math.ceil(this.#mostForChannel * (inAll > count ? part : MOST_ALONE));
    return (
      inAll < this.#mostForChannel &&
      isWithin(this.#countOf(botKey(channel, botId)), MOST_OF_BOT) &&
      isWithin(this.#countOf(jobKey(channel, jobId)), MOST_OF_JOB)
    );
  }

  /** A callback more, or less, waits. */
  change(by: 1 | -1): void {
    this.#total += by;
  }

  /** A callback more, or less, waits for the channel. */
  changeFor(channel: string, { botId, jobId }: Party, by: 1 | -1): void {
    for (const key of [channelKey(channel), botKey(channel, botId), jobKey(channel, jobId)]) {
      const count = this.#countOf(key) + by;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
    }
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

const channelKey = (name: string) => `channel ${name}`;
const botKey = (channel: string, id: string) => `bot ${channel} ${id}`;
const jobKey = (channel: string, id: string) => `job ${channel} ${id}`;
