/** What a process asks of its store while nothing happens. */
import { expect } from 'chai';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { DeliveryBench } from './delivery-bench.ts';

const MINUTE_MS = 60_000;

/** These ask the store for nothing unless an outcome could not be written. */
const WITHOUT_STORE = new Set(['writeUnwritten', 'isUnwritten']);

/** @param onCall gets the name of each operation that is called, of whichever part of the ledger */
function watched<Part extends object>(part: Part, onCall: (name: string) => void): Part {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === 'object' && value !== null) return watched(value, onCall);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (!WITHOUT_STORE.has(String(name))) onCall(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

describe('while nothing happens', () => {
  it('a process makes at most two transactions a second, nearly all of them one claim', async () => {
    const bench = await DeliveryBench.open([]);
    const calls: string[] = [];
    const onCall = (name: string) => void calls.push(name);
    const { pipeline } = await bench.another('idle', (ledger): DatabaseLedger => watched(ledger, onCall));
    await pipeline.start();
    await bench.clock.advance(MINUTE_MS);
    calls.length = 0;
    await bench.clock.advance(MINUTE_MS);
    expect(calls.length).to.be.below(2 * 60);
    expect(calls.filter((name) => name === 'claim')).to.have.length(60);
    await bench.clock.runUntil(pipeline.stop());
    await bench.close();
  });
});
