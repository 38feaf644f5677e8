import { expect } from 'chai';
import { anew } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { DeliveryBench, failures } from './delivery-bench.ts';

const SECOND_MS = 1000;
const OPS = 'slack:#ops';

describe('what is claimed anew before this process knows that its outcome is written', () => {
  const bench = anew(() => DeliveryBench.open([OPS]));

  beforeEach(async () => {
    bench.fails(OPS, ...failures(2, 'transient'));
    await bench.first.pipeline.start();
    await bench.clock.advance(0);
  });

  /** Of the next outcome, this process knows so much later that it is written. */
  const knowsLate = (ms: number) => {
    const { ledger } = bench.first;
    const settle = ledger.settle.bind(ledger);
    const late: typeof settle = async (...args) => {
      Object.assign(ledger, { settle });
      const isDue = await settle(...args);
      await bench.clock.sleep(ms);
      return isDue;
    };
    Object.assign(ledger, { settle: late });
  };

  it('is attempted at its time, and the log says once that it is taken over', async () => {
    knowsLate(122 * SECOND_MS);
    const { status } = await bench.deliver(callbackWith());
    await bench.clock.advance(5 * SECOND_MS);
    expect([status, bench.told]).to.deep.equal([502, [OPS]]);
    expect(bench.milestonesReached).to.deep.equal([`taken_over ${OPS}`, `delivered_late ${OPS}`]);
  });

  it('is attempted by the config that is in force then', async () => {
    knowsLate(122 * SECOND_MS);
    const posted = bench.first.handle(callbackWith());
    await bench.clock.advance(121 * SECOND_MS);
    bench.planned = ['slack:#others'];
    await bench.reload();
    await bench.clock.runUntil(posted);
    await bench.clock.advance(5 * SECOND_MS);
    expect(bench.told).to.deep.equal(['slack:#others']);
  });

  it('is attempted within half a minute where the service has posted it again', async () => {
    knowsLate(10 * SECOND_MS);
    const first = bench.first.handle(callbackWith());
    await bench.clock.advance(5 * SECOND_MS);
    expect((await bench.deliver(callbackWith())).result).to.equal('taken_over');
    await bench.clock.runUntil(first);
    await bench.clock.advance(30 * SECOND_MS);
    expect(bench.told).to.deep.equal([OPS]);
  });
});
