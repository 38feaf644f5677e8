/** How much of bodies that are being read may be held at once, and how much of it each source may hold. */
import { getHeapStatistics } from 'node:v8';
import type { ReceiverConfig } from '../config/config.ts';
import type { HttpProblem } from '../http/problem.ts';
import type { Clock } from '../time/clock.ts';
import { unavailable } from './problems.ts';

/** Taken at a time; the least that a body takes. */
const BLOCK_BYTES = 64 * 1024;

/** Bodies that are being read take no more than this part of what the heap may grow to. */
const PART_OF_HEAP = 1 / 8;

/** The oldest body may always come to its end; the others need room beside it. */
const LARGEST_BODIES_AT_LEAST = 2;

/** A body that waits longer than others need to come to their end has those of the source that holds most give way. */
const OTHERS_END_MS = 250;

/** So long after that a source keeps to its share, so that the next one of another source does not wait at all. */
const CONTENTION_MS = 5000;

/** What is kept waiting takes it from its answer's time, of which most must be left. */
const PART_OF_ANSWER = 1 / 2;
const LONGEST_WAIT_MS = 5000;

export interface ReadingLimits {
  readonly mostBytes: number;
  /** The largest body. */
  readonly maxBodyBytes: number;
  /** A body that waited for so long is answered 503. */
  readonly longestWaitMs: number;
}

/** @param heapBytes the most that the heap may grow to */
export function readingLimits(
  { maxBodyBytes, answerWithinMs }: Pick<ReceiverConfig, 'maxBodyBytes' | 'answerWithinMs'>,
  heapBytes = getHeapStatistics().heap_size_limit,
): ReadingLimits {
  const leastBytes = LARGEST_BODIES_AT_LEAST * (maxBodyBytes + BLOCK_BYTES);
  return {
    mostBytes: Math.max(heapBytes * PART_OF_HEAP, leastBytes),
    maxBodyBytes,
    longestWaitMs: Math.min(LONGEST_WAIT_MS, answerWithinMs * PART_OF_ANSWER),
  };
}

export interface ReadingBudgetOptions extends ReadingLimits {
  readonly clock: Pick<Clock, 'monotonic' | 'startTimer'>;
}

/** A body's part of the budget. */
export interface Reading {
  /**
   * Makes sure that so many bytes of it may be held in all.
   * @param onGranted called later, where it returns false
   */
  reach(bytes: number, onGranted: () => void): boolean;
  /** Milliseconds for which it was kept waiting. */
  readonly waitedMs: number;
  /** All of it has come: it still holds its bytes, but need not give way any more, nor is room kept for the rest of it. */
  finish(): void;
  /** Gives everything back; a second call changes nothing. */
  release(): void;
}

interface Source {
  readonly name: string;
  held: number;
  /** The oldest first. */
  readonly readings: Set<OpenReading>;
}

interface OpenReading extends Reading {
  readonly source: Source;
  readonly onEnded: (problem: HttpProblem) => void;
  held: number;
  movedAt: number;
  waitedMs: number;
  waiting: Waiting | undefined;
}

interface Waiting {
  readonly bytes: number;
  readonly since: number;
  readonly grant: () => void;
  stopTimer: () => void;
}

export class ReadingBudget {
  #options: ReadingBudgetOptions;
  readonly #sources = new Map<string, Source>();
  /** The oldest first. */
  readonly #readings = new Set<OpenReading>();
  /** The one that waits longest first. */
  readonly #waiting = new Set<OpenReading>();
  #held = 0;
  #contendedUntil = Number.NEGATIVE_INFINITY;
  #isGranting = false;

  constructor(options: ReadingBudgetOptions) {
    this.#options = options;
  }

  resize(limits: ReadingLimits): void {
    this.#options = { ...this.#options, ...limits };
    this.#grantWhatFits();
  }

  get usage() {
    return { heldBytes: this.#held, waitingCount: this.#waiting.size, sourceCount: this.#sources.size };
  }

  /**
   * Begins with a body; it holds nothing yet.
   * @param onEnded it has to give way: it has released everything and is to be answered with the problem
   */
  open(sourceName: string, onEnded: (problem: HttpProblem) => void): Reading {
    const source = this.#sources.get(sourceName) ?? { name: sourceName, held: 0, readings: new Set() };
    this.#sources.set(sourceName, source);
    const reading: OpenReading = {
      source,
      onEnded,
      held: 0,
      movedAt: this.#options.clock.monotonic(),
      waitedMs: 0,
      waiting: undefined,
      reach: (bytes, onGranted) => this.#reach(reading, bytes, onGranted),
      finish: () => this.#finish(reading),
      release: () => this.#release(reading),
    };
    source.readings.add(reading);
    this.#readings.add(reading);
    return reading;
  }

  #reach(reading: OpenReading, bytes: number, onGranted: () => void): boolean {
    reading.movedAt = this.#options.clock.monotonic();
    if (bytes <= reading.held) return true;
    const missing = Math.ceil((bytes - reading.held) / BLOCK_BYTES) * BLOCK_BYTES;
    const mayGoOn = reading === oldestOf(this.#readings) || this.#waiting.size === 0;
    if (mayGoOn && this.#fits(reading, missing)) {
      this.#hold(reading, missing);
      return true;
    }
    this.#wait(reading, missing, onGranted);
    return false;
  }

  /**
   * Room for the rest of the oldest body is kept free, so that there is always one that comes to its end; at the latest
   * when those that have come have gone on.
   */
  #fits(reading: OpenReading, bytes: number): boolean {
    const oldest = oldestOf(this.#readings);
    const isOldest = oldest === undefined || reading === oldest;
    if (!isOldest && this.#isBoundByShare(reading, bytes)) return false;
    const keptFree = isOldest ? 0 : Math.max(0, this.#options.maxBodyBytes + BLOCK_BYTES - oldest.held);
    return this.#held + bytes + keptFree <= this.#options.mostBytes;
  }

  /** One body each source may always have; and a share is left for who is not there yet. */
  #isBoundByShare(reading: OpenReading, bytes: number): boolean {
    const { source } = reading;
    if (this.#options.clock.monotonic() >= this.#contendedUntil) return false;
    if (reading === oldestOf(source.readings)) return false;
    return source.held + bytes > this.#options.mostBytes / (this.#sources.size + 1);
  }

  #hold(reading: OpenReading, bytes: number): void {
    reading.held += bytes;
    reading.source.held += bytes;
    this.#held += bytes;
  }

  #wait(reading: OpenReading, bytes: number, onGranted: () => void): void {
    const { clock, longestWaitMs } = this.#options;
    const since = clock.monotonic();
    const grant = () => {
      this.#stopWaiting(reading);
      this.#hold(reading, bytes);
      reading.movedAt = clock.monotonic();
      onGranted();
    };
    const firstMs = Math.min(OTHERS_END_MS, longestWaitMs);
    const stopTimer = clock.startTimer(firstMs, () => this.#waitOn(reading, longestWaitMs - firstMs));
    reading.waiting = { bytes, since, grant, stopTimer };
    this.#waiting.add(reading);
    this.#grantWhatFits();
  }

  /** Others have had the time to come to their end: now they give way. */
  #waitOn(reading: OpenReading, waitMs: number): void {
    if (reading.waiting === undefined) return;
    reading.waiting.stopTimer = this.#options.clock.startTimer(waitMs, () => this.#end(reading));
    this.#makeRoomFor(reading);
  }

  #makeRoomFor(reading: OpenReading): void {
    while (reading.waiting !== undefined) {
      const other = longestIdleOf(this.#largestSource()?.readings ?? []);
      if (other === undefined || other.source.held <= reading.source.held + BLOCK_BYTES) return;
      this.#contendedUntil = this.#options.clock.monotonic() + CONTENTION_MS;
      this.#end(other);
    }
  }

  /** Of those that could give way. */
  #largestSource(): Source | undefined {
    let largest: Source | undefined;
    for (const source of this.#sources.values())
      if (source.readings.size > 0 && source.held > (largest?.held ?? 0)) largest = source;
    return largest;
  }

  #end(reading: OpenReading): void {
    this.#release(reading);
    reading.onEnded(unavailable('Too many bodies are being sent at once.'));
  }

  #finish(reading: OpenReading): void {
    if (!this.#readings.delete(reading)) return;
    reading.source.readings.delete(reading);
    this.#grantWhatFits();
  }

  #release(reading: OpenReading): void {
    this.#stopWaiting(reading);
    const { source } = reading;
    this.#readings.delete(reading);
    source.readings.delete(reading);
    this.#hold(reading, -reading.held);
    const isGone = source.readings.size === 0 && source.held === 0;
    if (isGone && this.#sources.get(source.name) === source) this.#sources.delete(source.name);
    this.#grantWhatFits();
  }

  #stopWaiting(reading: OpenReading): void {
    const { waiting } = reading;
    if (waiting === undefined) return;
    reading.waiting = undefined;
    this.#waiting.delete(reading);
    waiting.stopTimer();
    reading.waitedMs += this.#options.clock.monotonic() - waiting.since;
  }

  /**
   * The oldest first, then the source that holds least, and of one source the one that waits longest. One that is granted
   * something may ask for more before this returns: it waits like the others.
   */
  #grantWhatFits(): void {
    if (this.#isGranting) return;
    this.#isGranting = true;
    try {
      while (this.#grantNext());
    } finally {
      this.#isGranting = false;
    }
  }

  #grantNext(): boolean {
    const next = this.#nextWaiting();
    if (next?.waiting === undefined || !this.#fits(next, next.waiting.bytes)) return false;
    next.waiting.grant();
    return true;
  }

  #nextWaiting(): OpenReading | undefined {
    const oldest = oldestOf(this.#readings);
    if (oldest?.waiting !== undefined) return oldest;
    let next: OpenReading | undefined;
    for (const reading of this.#waiting) {
      if (next === undefined || reading.source.held < next.source.held) next = reading;
    }
    return next;
  }
}

function oldestOf(readings: ReadonlySet<OpenReading>): OpenReading | undefined {
  const [oldest] = readings;
  return oldest;
}

/** Of those that hold something, the one that has not moved for longest. */
function longestIdleOf(readings: Iterable<OpenReading>): OpenReading | undefined {
  let idlest: OpenReading | undefined;
  for (const reading of readings) {
    if (reading.held > 0 && reading.movedAt < (idlest?.movedAt ?? Number.POSITIVE_INFINITY)) idlest = reading;
  }
  return idlest;
}
