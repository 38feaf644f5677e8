/** Which calls PostgreSQL runs next: those that share a key in the order in which they came, plain ones together, any other one alone. */
import type { CallOptions } from '../database.ts';

export interface QueuedCall extends Pick<CallOptions, 'keys' | 'isPlain'> {
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
   * Takes the next calls, of which no two share a key, in the order of their jobs; none: all that wait are behind running ones.
   * @param isRoom whether there is a connection for one that runs alone, beside that of plain calls
   */
  next(isRoom: boolean): readonly Call[] {
    const batch = this.#first(isRoom);
    const taken = new Set(batch);
    if (batch.length > 0) this.#waiting = this.#waiting.filter((call) => !taken.has(call));
    for (const key of keysOf(batch)) this.#running.add(key);
    return batch.toSorted(byKeys);
  }

  #first(isRoom: boolean): readonly Call[] {
    const isSharing = this.#shared.length > 0;
    const shared: Call[] = [];
    const busy = new Set(this.#running);
    for (const call of this.#waiting) {
      const keys = keysOf([call]);
      const isFree = !keys.some((key) => busy.has(key));
      for (const key of keys) busy.add(key);
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
    for (const key of keysOf(batch)) this.#running.delete(key);
    for (const call of again) call.isAlone = true;
    this.#waiting.unshift(...again);
  }
}

function keysOf(calls: readonly QueuedCall[]): readonly string[] {
  return calls.flatMap(({ keys = [] }) => keys);
}

/** So that batches of several processes lock jobs, and BOTs' incidents, in the same order; settlements, which lock none, come last. */
function byKeys(one: QueuedCall, other: QueuedCall): number {
  const [a, b] = [placeOf(one), placeOf(other)];
  return a < b ? -1 : Number(a > b);
}

/** Its job's key, whether its BOT's is before that or not. */
function placeOf({ keys = [] }: QueuedCall): string {
  return keys.at(-1) ?? '\uFFFF';
}
