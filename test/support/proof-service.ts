/** Plays the job service: posts callbacks, and posts each again until it is answered 2xx, at intervals that the test sets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { post } from './bridge-world.ts';

interface JobServiceOptions {
  /** Asked before each POST: the program may have come back on another port. */
  readonly urlOf: () => string;
  /** Stands for the service's 30 s. */
  readonly retryMs: number;
  /** POSTs under way at once. */
  readonly concurrency: number;
}

type PostedCallback = Readonly<Record<string, unknown>>;

export class JobService {
  readonly #options: JobServiceOptions;
  /** HTTP status codes of all answers; 0 for none. */
  readonly statuses: number[] = [];

  constructor(options: JobServiceOptions) {
    this.#options = options;
  }

  /** Resolves when every callback has been answered 2xx. @throws {Error} says how many were not answered in time */
  async postAll(callbacks: readonly PostedCallback[], withinMs = 240_000): Promise<void> {
    const waiting = [...callbacks];
    const end = Date.now() + withinMs;
    let unanswered = 0;
    const runs = Array.from({ length: this.#options.concurrency }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (!(await this.#postUntilTaken(next, end))) unanswered += 1;
      }
    });
    await Promise.all(runs);
    if (unanswered > 0)
      throw new Error(`${unanswered} callbacks were not answered 2xx within ${withinMs} ms`);
  }

  async #postUntilTaken(callback: PostedCallback, end: number): Promise<boolean> {
    while (Date.now() <= end) {
      if ((await this.#post(callback)) === 200) return true;
      await sleep(this.#options.retryMs);
    }
    return false;
  }

  async #post(callback: PostedCallback): Promise<number> {
    const answer = await post(this.#options.urlOf(), callback).catch(() => undefined);
    this.statuses.push(answer?.status ?? 0);
    return answer?.status ?? 0;
  }
}
