/**
 * Which calls PostgreSQL runs next: those that share a key in the order in which they came, plain ones together, any other one alone. Outcomes,
 * which have no key, have batches of their own: they wait for no flush, so they go on while callbacks wait for theirs.
 */
import type { CallOptions } from '../database.ts';

export interface QueuedCall extends Pick<CallOptions, 'keys' | 'order' | 'isPlain'> {
  /** It, or one beside it, has failed: it gets a transaction of its own. */
  isAlone: boolean;
}

/** The most calls in one transaction. */
const CALLS_PER_BATCH = 100;

export class CallQueue<Call extends QueuedCall> {
  #waiting: Call[] = [];
  readonly #running = new Set<string>();
  /** Whether a batch of plain calls with keys (`true`), and one without (`false`), is running. Calls that come meanwhile are the next batch. */
  readonly #plain = new Set<boolean>();

  get length(): number {
    return this.#waiting.length;
  }

  add(call: Call): void {
    this.#waiting.push(call);
  }

  /**
   * Takes the next calls, of which no two share a key, in the order of their jobs, or of their rows; none: all that wait are behind running ones.
   * @param isRoom whether there is a connection for one that runs alone, beside one for plain calls
   */
  next(isRoom: boolean): readonly Call[] {
    const batch = this.#first(isRoom);
    const taken = new Set(batch);
    if (batch.length > 0) this.#waiting = this.#waiting.filter((call) => !taken.has(call));
    for (const key of keysOf(batch)) this.#running.add(key);
    return batch.toSorted(byPlace);
  }

  #first(isRoom: boolean): readonly Call[] {
    const free = this.#free();
    const isRoomForAlone = isRoom || this.#plain.size === 2;
    const first = free.find((call) => (runsAlone(call) ? isRoomForAlone : !this.#plain.has(hasKeys(call))));
    if (first === undefined || runsAlone(first)) return first === undefined ? [] : [first];
    const alike = free.filter((call) => !runsAlone(call) && hasKeys(call) === hasKeys(first));
    this.#plain.add(hasKeys(first));
    return alike.slice(0, CALLS_PER_BATCH);
  }

  /** The waiting calls none of whose keys belongs to a running call, or to one that waits before them. */
  #free(): readonly Call[] {
    const busy = new Set(this.#running);
    return this.#waiting.filter((call) => {
      const keys = keysOf([call]);
      const isFree = !keys.some((key) => busy.has(key));
      for (const key of keys) busy.add(key);
      return isFree;
    });
  }

  /** What `next` gave has ended. @param again those that are to be run again, each alone, before all others */
  end(batch: readonly Call[], again: readonly Call[] = []): void {
    const [first] = batch;
    if (first !== undefined && !runsAlone(first)) this.#plain.delete(hasKeys(first));
    for (const key of keysOf(batch)) this.#running.delete(key);
    for (const call of again) call.isAlone = true;
    this.#waiting.unshift(...again);
  }
}

function keysOf(calls: readonly QueuedCall[]): readonly string[] {
  return calls.flatMap(({ keys = [] }) => keys);
}

function runsAlone({ isPlain, isAlone }: QueuedCall): boolean {
  return isPlain !== true || isAlone;
}

function hasKeys({ keys = [] }: QueuedCall): boolean {
  return keys.length > 0;
}

/** So that batches of several processes lock jobs, BOTs' incidents and deliveries in the same order. */
function byPlace(one: QueuedCall, other: QueuedCall): number {
  const [a, b] = [placeOf(one), placeOf(other)];
  if (a === b) return (one.order ?? 0) - (other.order ?? 0);
  return a < b ? -1 : 1;
}

/** The job's key, which is the last, with or without the BOT's before it. */
function placeOf({ keys = [] }: QueuedCall): string {
  return keys.at(-1) ?? '';
}
