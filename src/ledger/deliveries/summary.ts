/** What a summary says of the messages that were held at a destination. */
import { statusNameOf } from '../../callback/callback.ts';
import { mostTroubled, type OwnSubject, type SummarisedBot } from '../../notice/notice.ts';
import type { ArchivedCallback } from '../archive/archive.ts';

const MOST_JOBS = 20;

interface Held extends Pick<
  ArchivedCallback,
  'kind' | 'botId' | 'botName' | 'jobId' | 'status' | 'receivedAt'
> {
  readonly destination: string;
  readonly reason: string;
  readonly error: string | undefined;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A BOT while its messages are counted; named as in its newest one. */
type CountedBot = Mutable<Omit<SummarisedBot, 'jobs'>> & { readonly jobs: string[] };

const NOTHING_COUNTED = { bot_name: '', succeeded: 0, errors: 0, executing: 0, missed: 0, overdue: 0 };

/** By a callback's status, or a notice's kind. */
const COUNTERS: Readonly<Record<string, 'succeeded' | 'errors' | 'executing' | 'missed' | 'overdue'>> = {
  succeeded: 'succeeded',
  error: 'errors',
  executing: 'executing',
  missed: 'missed',
  overdue: 'overdue',
};

/** What a summary says of a destination, counted message by message, so that no number of them fills the memory. */
export class Counted {
  readonly #bots = new Map<string, CountedBot>();
  #first: Held | undefined;
  #lastAt = 0;
  #count = 0;

  /** @param held each at the same destination, in the order in which they came */
  add(held: Held): void {
    this.#first ??= held;
    this.#lastAt = held.receivedAt;
    this.#count += 1;
    const bot = this.#bots.get(held.botId) ?? { ...NOTHING_COUNTED, bot_id: held.botId, jobs: [] };
    this.#bots.set(held.botId, bot);
    bot.bot_name = held.botName;
    const counter = COUNTERS[held.kind === 'callback' ? statusNameOf(held) : held.kind];
    if (counter !== undefined) bot[counter] += 1;
    if (counter === 'errors')
      bot.lastError = { text: held.error ?? '', at: held.receivedAt, jobId: held.jobId };
    if (held.jobId === '' || bot.jobs.includes(held.jobId)) return;
    bot.jobs.push(held.jobId);
    if (bot.jobs.length > MOST_JOBS) bot.jobs.shift();
  }

  get subject(): OwnSubject<'summary'> {
    const { destination = '', reason = '', receivedAt: since = 0 } = this.#first ?? {};
    const counted = { since, lastAt: this.#lastAt, count: this.#count };
    return {
      template: 'summary',
      destination,
      reason,
      ...counted,
      ...mostTroubled([...this.#bots.values()]),
    };
  }
}
