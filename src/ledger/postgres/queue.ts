/** Which calls PostgreSQL runs next: those of a job in the order in which they came, plain ones together, any other one alone. */
import type { CallOptions } from '../database.ts';

export interface QueuedCall extends Pick<CallOptions, 'job' | 'isPlain'> {
  /** It, or one beside it, has failed: it gets a transaction of its own. */
  isAlone: boolean;
}

/** The most calls in one transaction. */
const CALLS_PER_BATCH = 100;

export class CallQueue<Call extends QueuedCall> {
  #waiting: Call[] = [];
  readonly #running = new Set<string>();
  /** Plain calls that run: what comes meanwhile is the next batch, so that batches are large where much comes. */
  #shared: readonly Call[] = [];

  get length(): number {
    return this.#waiting.length;
  }

  add(call: Call): void {
    this.#waiting.push(call);
  }

  /**
   * Takes the next calls, of which each has another job, in the order of their jobs; none: all that wait are behind running ones.
   * @param free connections, of which the last one is for plain calls
   */
  next(free: number): readonly Call[] {
    const batch = this.#first(free > 1);
    const taken = new Set(batch);
    if (batch.length > 0) this.#waiting = this.#waiting.filter((call) => !taken.has(call));
    for (const { job } of batch) if (job !== undefined) this.#running.add(job);
    return batch.toSorted(byJob);
  }

  #first(isRoom: boolean): readonly Call[] {
    const isSharing = this.#shared.length > 0;
    const shared: Call[] = [];
    const busy = new Set(this.#running);
    for (const call of this.#waiting) {
      const isFree = call.job === undefined || !busy.has(call.job);
      if (call.job !== undefined) busy.add(call.job);
      if (!isFree) continue;
      if (call.isPlain === true && !call.isAlone) shared.push(call);
      else if (isSharing || (isRoom && shared.length === 0)) return [call];
      if (shared.length === CALLS_PER_BATCH) break;
    }
    return isSharing ? [] : (this.#shared = shared);
  }

  /** What `next` gave has ended. @param again those that are to be run again, each alone, before all others */
  end(batch: readonly Call[], again: readonly Call[] = []): void {
    if (this.#shared.some((call) => batch.includes(call))) this.#shared = [];
    for (const { job } of batch) if (job !== undefined) this.#running.delete(job);
    for (const call of again) call.isAlone = true;
    this.#waiting.unshift(...again);
  }
}

/** So that batches of several processes lock jobs in the same order; settlements, which lock none, come last. */
function byJob({ job: a = '\uFFFF' }: QueuedCall, { job: b = '\uFFFF' }: QueuedCall): number {
  return a < b ? -1 : Number(a > b);
}
