/**
 * The job service, played honestly: posts a callback again 30 s after each answer that is not 2xx, as often as it takes,
 * and never sooner.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { keyedCallback, keyOf } from '../../test/support/proof-tally.ts';

/** Callback interface, "Limits": the shortest interval between two POSTs of a callback. */
const RETRY_MS = 30_000;

/** Far beyond any `answer_within`: no answer by then is none at all. */
const ANSWER_TIMEOUT_MS = 60_000;

export interface Answer {
  /** HTTP status; 0: none came. */
  readonly status: number;
  /** As the answer names it, empty where it does not; why no answer came. */
  readonly result: string;
  readonly tookMs: number;
}

/** One callback from its first POST on. */
export interface Posting {
  /** Found again in whatever is told of it. */
  readonly key: string;
  readonly botId: string;
  /** When it was first posted; milliseconds since the epoch. */
  readonly postedAt: number;
  readonly answers: Answer[];
}

type Fields = Readonly<Record<string, unknown>>;

let next = 1;

export class JobService {
  readonly #urls: readonly string[];
  readonly #agent = new Agent({ headersTimeout: ANSWER_TIMEOUT_MS, connections: null });
  readonly #over = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly postings: Posting[] = [];
  #turn = 0;

  /** @param urls of the replicas, which take turns as behind a load balancer */
  constructor(urls: readonly string[]) {
    this.#urls = urls;
    setMaxListeners(0, this.#over.signal);
  }

  /** An error of a job of its own, unless the fields say otherwise; resolves when it has been answered 2xx, or is over. */
  async post(botId: string, fields: Fields = {}): Promise<Posting> {
    const key = keyOf(next++);
    const posting: Posting = { key, botId, postedAt: Date.now(), answers: [] };
    this.postings.push(posting);
    const run = this.#postUntilTaken(
      posting,
      JSON.stringify(keyedCallback(key, { bot_id: botId, ...fields })),
    );
    this.#running.add(run);
    await run.finally(() => this.#running.delete(run));
    return posting;
  }

  /** Posts them at even intervals, whatever the answers take; resolves when the last one has been posted. */
  async postEvenly(count: number, withinMs: number, botIdOf: (index: number) => string): Promise<void> {
    const startedAt = performance.now();
    for (let index = 0; index < count && !this.#isOver(); index += 1) {
      await this.#pause(startedAt + (index * withinMs) / count - performance.now());
      void this.post(botIdOf(index));
    }
  }

  of(botId: string): Posting[] {
    return this.postings.filter((posting) => posting.botId === botId);
  }

  async #postUntilTaken(posting: Posting, body: string): Promise<void> {
    while (!this.#isOver()) {
      const answer = await this.#once(body);
      if (this.#isOver()) return;
      posting.answers.push(answer);
      if (isTaken(answer)) return;
      await this.#pause(RETRY_MS);
    }
  }

  async #once(body: string): Promise<Answer> {
    const startedAt = performance.now();
    const tookMs = () => performance.now() - startedAt;
    const url = new URL(this.#urls[this.#turn++ % this.#urls.length] ?? '');
    try {
      const response = await this.#agent.request({
        origin: url.origin,
        path: url.pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: this.#over.signal,
      });
      const { result = '' } = (await response.body.json()) as { readonly result?: string };
      return { status: response.statusCode, result, tookMs: tookMs() };
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      return { status: 0, result: code ?? name, tookMs: tookMs() };
    }
  }

  #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#over.signal }).catch(() => undefined);
  }

  /** Resolves when all that was posted has been answered 2xx, or the time is over. */
  async settled(withinMs: number): Promise<void> {
    await Promise.race([Promise.all(this.#running), this.#pause(withinMs)]);
  }

  /** Posts nothing more; what is on its way is dropped, and its answer not counted. */
  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#running);
    await this.#agent.destroy();
  }
}

export function isTaken({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Seconds that the answers cost the BOTs: the wait for each, and half a minute for each that is not 2xx. */
export function botSeconds(postings: readonly Posting[]): number {
  const answers = postings.flatMap((posting) => posting.answers);
  const waited = answers.reduce((sum, { tookMs }) => sum + tookMs / 1000, 0);
  return waited + refusals(postings) * (RETRY_MS / 1000);
}

/** Answers that were not 2xx. */
export function refusals(postings: readonly Posting[]): number {
  return postings.flatMap((posting) => posting.answers).filter((answer) => !isTaken(answer)).length;
}

export function longestAnswerMs(postings: readonly Posting[]): number {
  return Math.max(...postings.flatMap(({ answers }) => answers.map(({ tookMs }) => tookMs)));
}

/** `200 taken_over`, or `502`. */
export function labelsOf(postings: readonly Posting[]): string[] {
  return postings.flatMap(({ answers }) => answers).map(({ status, result }) => `${status} ${result}`.trim());
}
