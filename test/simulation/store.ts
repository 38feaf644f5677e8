/** The store as a process reaches it, below its operations: each call takes time, and may fail before or after its commit. */
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import type { LedgerOptions } from '../../src/ledger/open-ledger.ts';
import type { Database } from '../../src/ledger/registry.ts';
import type { Run } from './observed.ts';
import { Random } from './random.ts';
import type { Scenario, StoreFault } from './scenario.ts';
import type { Timeline } from './timeline.ts';

const DEFAULT_WITHIN_MS = 5000;

type Call = (
  name: string,
  args: unknown,
  options?: { readonly withinMs?: number | undefined },
) => Promise<unknown>;

interface Caller extends Run {
  /** Runs `work` now, unless the process is dead or dies at this moment. */
  reach(what: 'store' | 'any', work: () => void): void;
}

export interface StoreParts {
  readonly scenario: Scenario;
  readonly timeline: Timeline;
  readonly gone: ReadonlySet<string>;
}

export class StoreSeam {
  underWay = 0;
  /** Resolves with the first call; everything before it takes real, not virtual, time. */
  readonly isInUse: Promise<void>;
  #use: () => void = () => undefined;
  readonly #parts: StoreParts;
  readonly #process: Caller;
  readonly #random: Random;
  readonly #opened: Database[] = [];
  #lastAt = 0;

  constructor(parts: StoreParts, process: Caller) {
    this.#parts = parts;
    this.#process = process;
    this.#random = new Random(parts.scenario.seed, `store ${process.name}`);
    this.isInUse = new Promise((resolve) => (this.#use = resolve));
  }

  get options(): Partial<Pick<LedgerOptions, 'owner' | 'isGone' | 'isInProcess' | 'flush' | 'around'>> {
    const { name, slot } = this.#process;
    const { gone } = this.#parts;
    return {
      owner: name,
      // Each slot counts as a machine of its own.
      isGone: (owner) => owner.startsWith(`p${slot}.`) && gone.has(owner),
      isInProcess: true,
      // Simulated crashes are never those of a machine, so nothing needs to be flushed.
      flush: (_descriptor, onFlushed) => onFlushed(null),
      around: (database) => this.#around(database),
    };
  }

  /** Closes the databases that a dead process had open. */
  async close(): Promise<void> {
    for (const database of this.#opened.splice(0)) await database.close().catch(() => undefined);
  }

  #around(real: Database): Database {
    this.#opened.push(real);
    const call: Call = (name, args, options) => this.#call(real.call as unknown as Call, name, args, options);
    return { call: call as unknown as Database['call'], close: () => this.#closed(real) };
  }

  async #closed(real: Database): Promise<void> {
    const place = this.#opened.indexOf(real);
    if (place < 0) return;
    this.#opened.splice(place, 1);
    await this.#parts.timeline.busy(() => real.close());
  }

  #call(
    real: Call,
    name: string,
    args: unknown,
    { withinMs = DEFAULT_WITHIN_MS, ...options }: Parameters<Call>[2] = {},
  ): Promise<unknown> {
    const { timeline, scenario } = this.#parts;
    const process = this.#process;
    this.#use();
    const fault = this.#faultAt(name);
    const isHit = fault !== undefined && (fault.only !== undefined || this.#random.chance(0.7));
    const mode = isHit ? fault.mode : undefined;
    const slowMs = mode === 'slow' ? this.#random.int(50, 9000) : 0;
    const due = timeline.now + this.#random.int(0, 3) + slowMs;
    const at = Math.max(due, scenario.isOrdered ? this.#lastAt : 0);
    this.#lastAt = at;
    this.underWay += 1;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (how: () => void) => {
        if (isOver) return;
        isOver = true;
        this.underWay -= 1;
        process.reach('store', how);
      };
      const stopTimer = timeline.after(withinMs, () =>
        end(() => reject(new LedgerUnavailable(`the ledger did not come to it in time: ${name}`))),
      );
      const finish = (how: () => void) => {
        stopTimer();
        end(how);
      };
      const begin = async () => {
        if (!process.isAlive || isOver) return;
        if (mode === 'fails')
          return finish(() => reject(new LedgerUnavailable(`simulated: disk I/O error at ${name}`)));
        const ended = await real(name, args, { ...options, withinMs: 1e9 }).then(
          (result) => () => resolve(result),
          (error: Error) => () => reject(error),
        );
        const lost = () => reject(new LedgerUnavailable(`simulated: the answer is lost of ${name}`));
        timeline.after(this.#random.int(0, 2), () => finish(mode === 'lost' ? lost : ended));
      };
      timeline.after(at - timeline.now, () => process.reach('store', () => void timeline.busy(begin)));
    });
  }

  #faultAt(name: string): StoreFault | undefined {
    const { scenario, timeline } = this.#parts;
    const { slot } = this.#process;
    return scenario.faults.find(
      (fault): fault is StoreFault =>
        fault.kind === 'store' &&
        fault.at <= timeline.now &&
        timeline.now < fault.at + fault.for &&
        (fault.slot < 0 || fault.slot === slot) &&
        (fault.only === undefined || fault.only === quarterOf(name)),
    );
  }
}

/** By a hash of the name, since the list of operations changes. */
function quarterOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  return sum % 4;
}
