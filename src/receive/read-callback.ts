/** From the bytes of a body to a callback: the memory that it takes meanwhile, and where it is parsed. */
import { type CheckedCallback, isLargeBody } from '../callback/callback.ts';
import { countValues, decodeBody, mostValuesIn } from '../callback/decode.ts';
import type { Incoming } from '../deliver/handling.ts';
import type { Load, MemoryBudget, Release } from '../deliver/memory-budget.ts';
import { HttpProblem } from '../http/problem.ts';
import { unavailable } from './problems.ts';
import type { Clock } from '../time/clock.ts';

/** Where there is room, a smaller body is not worth counting: it is taken for the most that it can hold. */
const WORTH_COUNTING = 4096;

/** To count and to parse a larger body may take a millisecond: of those that come together, each gets a turn of the event loop. */
const WORTH_A_TURN = 8 * 1024;

/** A callback's part of the budget. */
export interface HeldMemory {
  /** Something that needs the callback goes on after the answer. */
  keepUntil(late: Promise<unknown>): void;
  /** The answer is out. */
  release(): void;
}

export class BodyMemory {
  readonly #budget: MemoryBudget;
  readonly #most: Load;
  /** One of them goes on in each turn of the event loop. */
  readonly #waitingForTurn: (() => void)[] = [];

  /** @param most of one callback; it is less where the heap cannot carry as much */
  constructor(budget: MemoryBudget, most: Load) {
    this.#budget = budget;
    this.#most = {
      bytes: Math.min(most.bytes, budget.largest.bytes),
      values: Math.min(most.values, budget.largest.values),
    };
  }

  /**
   * At once where there is room, as there is for ordinary callbacks; else as soon as there is.
   * @param deadline by the monotonic clock
   * @throws {HttpProblem} 413, or 503 where there was no room in time
   */
  async hold(body: Uint8Array, deadline: number): Promise<HeldMemory> {
    const isLarge = body.byteLength > WORTH_A_TURN;
    if (isLarge) await this.#ownTurn();
    const release = this.#takeUncounted(body) ?? (await this.#budget.take(this.#loadOf(body), deadline));
    if (release === undefined)
      throw unavailable('The callbacks that are being handled take all the memory that there is for them.');
    if (isLarge) await this.#ownTurn();
    return heldMemory(release);
  }

  #takeUncounted({ byteLength: bytes }: Uint8Array): Release | undefined {
    const values = mostValuesIn(bytes);
    if (bytes > WORTH_COUNTING || values > this.#most.values) return undefined;
    return this.#budget.takeNow({ bytes, values });
  }

  #ownTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waitingForTurn.push(resolve);
      if (this.#waitingForTurn.length === 1) setImmediate(this.#nextGoesOn);
    });
  }

  readonly #nextGoesOn = (): void => {
    this.#waitingForTurn.shift()?.();
    if (this.#waitingForTurn.length > 0) setImmediate(this.#nextGoesOn);
  };

  #loadOf(body: Uint8Array): Load {
    const { bytes: mostBytes, values: mostValues } = this.#most;
    const bytes = body.byteLength;
    if (bytes > mostBytes) throw tooLarge(`is larger than ${mostBytes} bytes`);
    const values = countValues(body, mostValues);
    if (values > mostValues) throw tooLarge(`holds more than ${mostValues} JSON values`);
    return { bytes, values };
  }
}

function tooLarge(what: string): HttpProblem {
  return new HttpProblem({ status: 413, detail: `The body ${what}, the most that is taken.` });
}

function heldMemory(giveBack: Release): HeldMemory {
  let holders = 1;
  const release = () => {
    holders -= 1;
    if (holders === 0) giveBack();
  };
  return {
    keepUntil: (late) => {
      holders += 1;
      late.then(release, release);
    },
    release,
  };
}

export type ReadCallback = Pick<Incoming, 'callback' | 'startedAt' | 'body'>;

/**
 * @param deadline by the monotonic clock
 * @throws {UndecodableBody}
 * @throws {InvalidCallback}
 * @throws {UnreadCallback} there was no time for it
 */
export type CallbackReader = (bytes: Uint8Array, deadline: number) => ReadCallback | Promise<ReadCallback>;

export interface CallbackReaderParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** @throws {InvalidCallback} */
  readonly check: (value: unknown) => CheckedCallback;
  readonly readLarge: (bytes: Uint8Array, withinMs: number) => Promise<ReadCallback>;
}

export function createCallbackReader({ clock, check, readLarge }: CallbackReaderParts): CallbackReader {
  return (bytes, deadline) => {
    if (isLargeBody(bytes)) return readLarge(bytes, deadline - clock.monotonic());
    const { value, json } = decodeBody(bytes);
    return { ...check(value), body: json };
  };
}
