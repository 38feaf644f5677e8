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

/** @param gone the runs that have ended */
export function storeOf(
  { scenario, timeline }: { readonly scenario: Scenario; readonly timeline: Timeline },
  gone: ReadonlySet<string>,
  process: Run & { reach(what: 'store', work: () => void): void },
) {
  const random = new Random(scenario.seed, `store ${process.name}`);
  const opened: Database[] = [];
  let [underWay, lastAt] = [0, 0];
  let use: () => void = () => undefined;
  const isInUse = new Promise<void>((resolve) => (use = resolve));

  function around(real: Database): Database {
    opened.push(real);
    const call: Call = (name, args, options) => callOf(real.call as unknown as Call, name, args, options);
    return { call: call as unknown as Database['call'], close: () => closed(real) };
  }

  async function closed(real: Database): Promise<void> {
    const place = opened.indexOf(real);
    if (place < 0) return;
    opened.splice(place, 1);
    await timeline.busy(() => real.close());
  }

  function callOf(
    real: Call,
    name: string,
    args: unknown,
    { withinMs = DEFAULT_WITHIN_MS, ...options }: Parameters<Call>[2] = {},
  ): Promise<unknown> {
    use();
    const fault = faultAt(name);
    const isHit = fault !== undefined && (fault.only !== undefined || random.chance(0.7));
    const mode = isHit ? fault.mode : undefined;
    const slowMs = mode === 'slow' ? random.int(50, 9000) : 0;
    const due = timeline.now + random.int(0, 3) + slowMs;
    const at = Math.max(due, scenario.isOrdered ? lastAt : 0);
    lastAt = at;
    underWay += 1;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (how: () => void) => {
        if (isOver) return;
        isOver = true;
        underWay -= 1;
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
        timeline.after(random.int(0, 2), () => finish(mode === 'lost' ? lost : ended));
      };
      timeline.after(at - timeline.now, () => process.reach('store', () => void timeline.busy(begin)));
    });
  }

  function faultAt(name: string): StoreFault | undefined {
    return scenario.faults.find(
      (fault): fault is StoreFault =>
        fault.kind === 'store' &&
        fault.at <= timeline.now &&
        timeline.now < fault.at + fault.for &&
        (fault.slot < 0 || fault.slot === process.slot) &&
        (fault.only === undefined || fault.only === quarterOf(name)),
    );
  }

  const options: Partial<Pick<LedgerOptions, 'owner' | 'isGone' | 'isInProcess' | 'flush' | 'around'>> = {
    owner: process.name,
    // Each slot counts as a machine of its own.
    isGone: (owner) => owner.startsWith(`p${process.slot}.`) && gone.has(owner),
    isInProcess: true,
    // Simulated crashes are never those of a machine, so nothing needs to be flushed.
    flush: (_descriptor, onFlushed) => onFlushed(null),
    around,
  };
  return {
    options,
    /** Resolves with the first call; everything before it takes real, not virtual, time. */
    isInUse,
    get underWay() {
      return underWay;
    },
    /** Closes the databases that a dead process had open. */
    async close(): Promise<void> {
      for (const database of opened.splice(0)) await database.close().catch(() => undefined);
    },
  };
}

/** By a hash of the name, since the list of operations changes. */
function quarterOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  return sum % 4;
}
