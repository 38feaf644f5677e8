/** The figures that POSTs add up to by the contract, computed from the POSTs alone and without the product's code. */
import { instantToZoned } from '../../src/time/display.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export interface Posted {
  readonly bot_id: string;
  readonly bot_name: string;
  readonly job_id: string;
  readonly status: number;
  readonly elapsed_time: number | undefined;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly isRetry: boolean;
}

type Counts = Readonly<Record<string, number>>;

interface Counted {
  readonly botId: string;
  readonly day: number;
  readonly counts: Counts;
}

const NOTHING: Counts = {
  runs: 0,
  unfinished: 0,
  succeeded: 0,
  errors: 0,
  missed: 0,
  overdue: 0,
  runningMs: 0,
  estimated: 0,
  answerMs: 0,
  retries: 0,
};

export class PostsOracle {
  readonly #timezone: string;
  readonly #posts: Posted[] = [];
  readonly #others: Counted[] = [];
  readonly #names = new Map<string, string>();

  constructor(timezone: string) {
    this.#timezone = timezone;
  }

  post(post: Posted): void {
    this.#posts.push(post);
    this.#names.set(post.bot_id, post.bot_name);
  }

  answer(botId: string, at: number, answerMs: number, status: number): void {
    this.#add(botId, at, { answerMs, retries: status < 300 ? 0 : 1 });
  }

  notice(kind: 'missed' | 'overdue', botId: string, at: number): void {
    this.#add(botId, at, { [kind]: 1 });
  }

  dayOf(instant: number): number {
    const local = instantToZoned(instant, this.#timezone);
    return local - (local % DAY_MS);
  }

  bots(from: number, to: number) {
    const within = this.#all().filter(({ day }) => day >= from && day < to);
    const ids = [...new Set(within.map(({ botId }) => botId))].toSorted();
    return ids.map((botId) => {
      const sum = sumOf(within.filter((each) => each.botId === botId));
      return { botId, ...sum, botName: sum['runs'] === 0 ? '' : this.#names.get(botId) };
    });
  }

  days(from: number, to: number) {
    const within = this.#all().filter(({ day }) => day >= from && day < to);
    const days = [...new Set(within.map(({ day }) => day))].toSorted((a, b) => a - b);
    return days.map((day) => ({ day, ...sumOf(within.filter((each) => each.day === day)) }));
  }

  #add(botId: string, at: number, counts: Counts): void {
    this.#others.push({ botId, day: this.dayOf(at), counts });
  }

  /** All runs and other figures; an answer that took no time adds nothing. */
  #all(): readonly Counted[] {
    const runs = new Map<string, Posted[]>();
    for (const post of this.#posts) {
      const key = `${post.bot_id} ${post.job_id}`;
      runs.set(key, [...(runs.get(key) ?? []), post]);
    }
    const all = [...[...runs.values()].map((posts) => this.#run(posts)), ...this.#others];
    return all.filter(({ counts }) => Object.values(counts).some((count) => count !== 0));
  }

  /** Counts a run once, on the day it started (at the latest, was received), with its longest time, else the time from start to receipt. */
  #run(posts: readonly Posted[]): Counted {
    const [first] = posts;
    if (first === undefined) throw new Error('a run needs at least one POST');
    const begunAt = (post: Posted) => {
      const isTooOld = post.receivedAt - post.startedAt > 31 * DAY_MS;
      return isTooOld ? post.receivedAt : Math.min(post.startedAt, post.receivedAt);
    };
    const results = posts.filter(({ status }) => status !== 2);
    const last = results.findLast(({ isRetry }) => !isRetry) ?? results[0];
    const times = posts.flatMap(({ elapsed_time: seconds }) => seconds ?? []);
    const [result] = results;
    const estimated = result === undefined ? 0 : result.receivedAt - begunAt(result);
    const counts = {
      runs: 1,
      unfinished: last === undefined ? 1 : 0,
      succeeded: last?.status === 0 ? 1 : 0,
      errors: last?.status === 1 ? 1 : 0,
      runningMs: times.length > 0 ? Math.max(...times) * 1000 : estimated,
      estimated: times.length === 0 && result !== undefined ? 1 : 0,
    };
    return { botId: first.bot_id, day: this.dayOf(begunAt(first)), counts };
  }
}

function sumOf(all: readonly Counted[]): Counts {
  const names = Object.keys(NOTHING);
  return Object.fromEntries(
    names.map((name) => [name, all.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)]),
  );
}
