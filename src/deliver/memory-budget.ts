/** How much memory callbacks may hold together: what would go beyond waits, in a fair and bounded queue. */
import type { Clock } from '../time/clock.ts';

/** What something holds, or may hold. */
export interface Load {
  /** Of bodies as they came. */
  readonly bytes: number;
  /** JSON values, as many as will be objects, lists, texts and numbers. */
  readonly values: number;
}

/** Gives a load back; a second call changes nothing. */
export type Release = () => void;

/**
 * What a JSON value takes of the heap, in bytes: small objects with keys that no others have take 104, all others less
 * (V8 11 to 13). As long as it is being read, or a message is made of it, there is as much again, and more.
 */
const BYTES_OF_VALUE = 128;

/** Bodies, what they are read into, and what is made of that for a moment: each may take a third of the heap. */
const PARTS_OF_HEAP = 3;

/** A body's text takes two bytes for each of its own, twice over while it is read. */
const BYTES_OF_BYTE = 4;

/** A load of at most this part of all counts as small. Ordinary callbacks are far below it. */
const SMALL_PART = 1 / 256;

/** Kept free of large loads, so that small ones need not wait for them; and all that small ones get while a large one waits. */
const SMALL_SHARE = 1 / 4;

/** Of small loads, and of large ones. */
const MOST_WAITING = 1024;

/** @param heapBytes the most that the heap may grow to (`v8.getHeapStatistics().heap_size_limit`) */
export function memoryFor(heapBytes: number): Load {
  const part = heapBytes / PARTS_OF_HEAP;
  return { bytes: Math.floor(part / BYTES_OF_BYTE), values: Math.floor(part / BYTES_OF_VALUE) };
}

interface Waiting {
  readonly load: Load;
  readonly lane: Lane;
  readonly begin: (release: Release) => void;
}

/** Small or large loads: served in the order in which they came. */
interface Lane {
  /** What it gets where the other lane takes its share, too. */
  readonly share: Load;
  held: Load;
  readonly waiting: Set<Waiting>;
  bytesWaiting: number;
}

export class MemoryBudget {
  readonly #clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  readonly #most: Load;
  readonly #mostSmall: Load;
  readonly #small: Lane;
  readonly #large: Lane;

  /** @param most of all that is held at once; what waits may hold as many bytes again */
  constructor(clock: Pick<Clock, 'monotonic' | 'startTimer'>, most: Load) {
    this.#clock = clock;
    this.#most = most;
    this.#mostSmall = partOf(most, SMALL_PART);
    this.#small = emptyLane(partOf(most, SMALL_SHARE));
    this.#large = emptyLane(partOf(most, 1 - SMALL_SHARE));
  }

  /** The largest load that is ever taken. */
  get largest(): Load {
    return this.#large.share;
  }

  /** What is held now. */
  get held(): Load {
    return plus(this.#small.held, this.#large.held);
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#small.waiting.size + this.#large.waiting.size;
  }

  /** Takes a load where it fits now and nobody like it waits; else undefined. */
  takeNow(load: Load): Release | undefined {
    const lane = this.#laneOf(load);
    return lane.waiting.size === 0 && this.#fits(load, lane) ? this.#hold(load, lane) : undefined;
  }

  /**
   * Takes a load as soon as it fits. Loads get their turn in the order in which they came, but small ones do not wait for
   * large ones, nor take what large ones wait for.
   * @param deadline by the monotonic clock
   * @returns undefined: it did not fit in time, too much waits already, or it is more than `largest`
   */
  take(load: Load, deadline: number): Promise<Release | undefined> {
    const release = this.takeNow(load);
    if (release !== undefined) return Promise.resolve(release);
    const withinMs = deadline - this.#clock.monotonic();
    if (withinMs <= 0 || !this.#mayWait(load)) return Promise.resolve(undefined);
    return this.#wait(load, withinMs);
  }

  #mayWait(load: Load): boolean {
    const { waiting, bytesWaiting, share } = this.#laneOf(load);
    const isRoom = waiting.size < MOST_WAITING && bytesWaiting + load.bytes <= share.bytes;
    return isRoom && isWithin(load, this.largest);
  }

  #wait(load: Load, withinMs: number): Promise<Release | undefined> {
    return new Promise((resolve) => {
      const lane = this.#laneOf(load);
      const stopTimer = this.#clock.startTimer(withinMs, () => {
        this.#leaveQueue(waiting);
        resolve(undefined);
        // What stood behind it may fit.
        this.#admit();
      });
      const begin = (release: Release) => {
        stopTimer();
        resolve(release);
      };
      const waiting = { load, lane, begin };
      lane.waiting.add(waiting);
      lane.bytesWaiting += load.bytes;
    });
  }

  #leaveQueue(waiting: Waiting): void {
    const { lane, load } = waiting;
    lane.waiting.delete(waiting);
    lane.bytesWaiting -= load.bytes;
  }

  #admit(): void {
    for (const lane of [this.#large, this.#small]) {
      for (const waiting of lane.waiting) {
        if (!this.#fits(waiting.load, lane)) break;
        this.#leaveQueue(waiting);
        waiting.begin(this.#hold(waiting.load, lane));
      }
    }
  }

  #fits(load: Load, lane: Lane): boolean {
    const isKeptToShare = lane === this.#large || this.#large.waiting.size > 0;
    if (isKeptToShare && !isWithin(plus(lane.held, load), lane.share)) return false;
    return isWithin(plus(this.held, load), this.#most);
  }

  #hold(load: Load, lane: Lane): Release {
    lane.held = plus(lane.held, load);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      lane.held = plus(lane.held, { bytes: -load.bytes, values: -load.values });
      if (this.waiting > 0) this.#admit();
    };
  }

  #laneOf(load: Load): Lane {
    return isWithin(load, this.#mostSmall) ? this.#small : this.#large;
  }
}

function emptyLane(share: Load): Lane {
  return { share, held: { bytes: 0, values: 0 }, waiting: new Set(), bytesWaiting: 0 };
}

function plus(one: Load, other: Load): Load {
  return { bytes: one.bytes + other.bytes, values: one.values + other.values };
}

function isWithin(load: Load, most: Load): boolean {
  return load.bytes <= most.bytes && load.values <= most.values;
}

function partOf({ bytes, values }: Load, part: number): Load {
  return { bytes: Math.floor(bytes * part), values: Math.floor(values * part) };
}
