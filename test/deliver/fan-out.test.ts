/** Everybody at once, until all are through or the answer is due. */
import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import type { SendResult } from '../../src/deliver/sender.ts';
import { type FanOut, startFanOut } from '../../src/deliver/bridge.ts';
import type { Finished } from '../../src/deliver/handling.ts';
import type { DeliveryRecord } from '../../src/ledger/ledger.ts';
import { ManualClock, settle } from '../support/manual-clock.ts';
import { deliveryRecord } from '../support/delivery-record.ts';

const TOLD: SendResult = { attempts: [], outcome: { receipt: {} } };
const FAILED: SendResult = {
  attempts: [],
  outcome: { failure: new DeliveryFailure({ class: 'transient', code: 'x', message: 'no' }) },
};

function recordsOf(count: number): DeliveryRecord[] {
  return Array.from({ length: count }, (_, id) =>
    deliveryRecord({ id, destination: `slack:#c${id}`, address: `#c${id}` }),
  );
}

describe('a fan-out', () => {
  let clock: ManualClock;
  let early: number[];
  let late: number[];

  /** Destination n is through after `durations[n]` milliseconds. */
  const run = (durations: readonly number[], sent = TOLD, withinMs = 1000): Promise<FanOut> =>
    startFanOut(
      recordsOf(durations.length),
      async ({ id }) => {
        await clock.sleep(durations[id] ?? 0);
        return sent;
      },
      clock.now() + withinMs,
      clock,
      noting,
    );

  const noting = ({ record }: Finished, isLate: boolean): Promise<void> => {
    (isLate ? late : early).push(record.id);
    return Promise.resolve();
  };

  beforeEach(() => {
    clock = new ManualClock();
    early = [];
    late = [];
  });

  it('tells everybody at the same time', async () => {
    const startedAt = clock.now();
    const { finished } = await clock.runUntil(run([300, 300, 300]));
    expect(clock.now() - startedAt).to.equal(300);
    expect(finished.map(({ record }) => record.id)).to.deep.equal([0, 1, 2]);
  });

  it('leaves no timer behind', async () => {
    await clock.runUntil(run([10]));
    expect(clock.sleeping).to.equal(0);
  });

  it('is over at once where there is nobody to tell', async () => {
    const { finished, late: stillOpen } = await run([]);
    expect(finished).to.deep.equal([]);
    expect(stillOpen).to.equal(undefined);
  });

  it('has early successes written down while others are still open, but not the last', async () => {
    const round = await clock.runUntil(run([300, 100, 200]));
    expect(early).to.deep.equal([1, 2]);
    expect([...round.early]).to.deep.equal([1, 2]);
    expect(late).to.deep.equal([]);
    expect(round.late).to.equal(undefined);
  });

  it('has early failures written with the answer', async () => {
    const { finished } = await clock.runUntil(run([300, 100], FAILED));
    expect(early).to.deep.equal([]);
    expect(finished).to.have.length(2);
  });

  it('is over when the answer is due, and says later who came through after it', async () => {
    const startedAt = clock.now();
    const { finished, late: stillOpen } = await clock.runUntil(run([100, 5000], TOLD, 1000));
    expect(clock.now() - startedAt).to.equal(1000);
    expect(finished.map(({ record }) => record.id)).to.deep.equal([0]);
    await clock.runUntil(stillOpen ?? Promise.reject(new Error('nothing is late')));
    expect(late).to.deep.equal([1]);
    expect(finished).to.have.length(1);
  });

  it('is over at once when the answer is due already', async () => {
    const round = run([100], TOLD, -5);
    await clock.advance(0);
    expect((await round).finished).to.deep.equal([]);
    await clock.advance(100);
    await settle();
    expect(late).to.deep.equal([0]);
  });

  it('in which something fails that nobody foresaw rejects only when all are through', async () => {
    const rejected: unknown[] = [];
    const take = async ({ id }: DeliveryRecord) => {
      if (id === 0) throw new Error('unforeseen');
      await clock.sleep(300);
      return TOLD;
    };
    startFanOut(recordsOf(2), take, clock.now() + 1000, clock, noting).catch((error: unknown) =>
      rejected.push(error),
    );
    await clock.advance(299);
    expect(rejected).to.deep.equal([]);
    await clock.advance(1);
    expect(rejected).to.have.length(1);
  });
});
