/** Waiting for what somebody else attempts, in time moved by hand. */
import { expect } from 'chai';
import { DeliveriesUnderWay, TurnsOfJobs } from '../../src/deliver/deliveries-under-way.ts';
import { type BlockedDelivery, type DeliveryRecord, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { deliveryRecord } from '../support/delivery-record.ts';
import { ManualClock, settle } from '../support/manual-clock.ts';

const DEADLINE_MS = 8000;

describe('whose turn it is', () => {
  let clock: ManualClock;
  let underWay: DeliveriesUnderWay;
  let turns: TurnsOfJobs;
  let deadline: number;
  /** What other processes have in hand. */
  let elsewhere: Set<number>;
  let asked: (readonly number[])[];
  let takenOver: number[];
  let isBroken: boolean;

  const readable = <T>(value: T): Promise<T> =>
    isBroken ? Promise.reject(new LedgerUnavailable('broken')) : Promise.resolve(value);
  const recordWith = (id: number): DeliveryRecord => deliveryRecord({ id, isClaimed: elsewhere.has(id) });

  beforeEach(() => {
    clock = new ManualClock();
    deadline = clock.monotonic() + DEADLINE_MS;
    underWay = new DeliveriesUnderWay();
    elsewhere = new Set();
    asked = [];
    takenOver = [];
    isBroken = false;
    turns = new TurnsOfJobs({
      clock,
      underWay,
      ledger: {
        deliveriesOf: (callbackId) => readable([recordWith(callbackId)]),
        turns: {
          earlierReceipts: () => Promise.resolve([]),
          predecessorOf: (id) => readable(id === 3 ? { id: 2, isClaimed: elsewhere.has(2) } : undefined),
          claimedAmong: (ids) => {
            asked.push(ids);
            return readable(ids.filter((id) => elsewhere.has(id)));
          },
          takeOver: (ids) => {
            takenOver.push(...ids);
            return readable(undefined);
          },
        },
      },
    });
  });

  const behind = (id: number, before: number, isBehindClaimed = true): BlockedDelivery => ({
    id,
    behind: before,
    isBehindClaimed,
  });
  const outcomeOf = <T>(promise: Promise<T>) => {
    const seen: { value?: T } = {};
    void promise.then((value) => (seen.value = value));
    return seen;
  };

  it('comes when the one before it is through, and not when that one failed', async () => {
    for (const news of ['finished', 'open'] as const) {
      const before = underWay.begin(1);
      const isNext = outcomeOf(turns.isNext(behind(2, 1), deadline));
      await settle();
      expect(isNext).to.deep.equal({});
      underWay.end(before, news);
      await settle();
      expect(isNext.value).to.equal(news === 'finished');
    }
    expect(asked).to.deep.equal([]);
  });

  it('is not waited for past the deadline, nor behind what nobody attempts', async () => {
    underWay.begin(1);
    const isNext = outcomeOf(turns.isNext(behind(2, 1), deadline));
    await clock.advance(DEADLINE_MS);
    expect(isNext.value).to.equal(false);
    expect(await turns.isNext(behind(2, 9, false), deadline)).to.equal(false);
    expect(clock.sleeping).to.equal(0);
  });

  it('comes when another process is through with the one before it, and with the one before that', async () => {
    elsewhere = new Set([1, 2]);
    const isNext = outcomeOf(turns.isNext(behind(4, 1), deadline));
    const isThird = outcomeOf(turns.isNext(behind(3, 1), deadline));
    await clock.advance(1000);
    expect([isNext, isThird]).to.deep.equal([{}, {}]);
    elsewhere.delete(1);
    await clock.advance(300);
    expect([isNext.value, isThird.value]).to.deep.equal([true, undefined]);
    elsewhere.delete(2);
    await clock.advance(300);
    // Its predecessor is in nobody's hands, but not through.
    expect(isThird.value).to.equal(false);
  });

  it('is asked of the ledger four times a second, however many wait', async () => {
    elsewhere = new Set([1, 2, 3]);
    const waiting = Array.from({ length: 300 }, (_, index) =>
      turns.isNext(behind(100 + index, 1 + (index % 3)), deadline),
    );
    const copies = Array.from({ length: 300 }, () => turns.onceThrough(1, [recordWith(1)], deadline));
    await clock.advance(2000);
    expect(asked).to.have.length(8);
    expect(asked[0]?.toSorted()).to.deep.equal([1, 2, 3]);
    elsewhere.clear();
    await clock.advance(250);
    expect(new Set(await Promise.all(waiting))).to.deep.equal(new Set([true]));
    await Promise.all(copies);
    await clock.advance(1000);
    expect(asked).to.have.length(9);
    expect(clock.sleeping).to.equal(0);
  });

  it('is waited for while the ledger cannot be read, but not past the deadline', async () => {
    elsewhere = new Set([1]);
    const isNext = outcomeOf(turns.isNext(behind(2, 1), deadline));
    isBroken = true;
    await clock.advance(2000);
    expect(isNext).to.deep.equal({});
    await clock.advance(DEADLINE_MS);
    expect(isNext.value).to.equal(false);
  });

  it('is waited for no longer once everything stops', async () => {
    elsewhere = new Set([1]);
    const isNext = outcomeOf(turns.isNext(behind(2, 1), deadline));
    const copy = outcomeOf(turns.onceThrough(1, [recordWith(1)], deadline));
    await clock.advance(100);
    underWay.stop();
    await settle();
    expect(isNext.value).to.equal(false);
    expect(copy.value?.[0]?.isClaimed).to.equal(true);
  });

  it('is no matter to a copy that is taken over, whoever attempts it', async () => {
    elsewhere = new Set([1]);
    underWay.begin(1);
    const copies = await Promise.all(
      [1, 2].map(() => turns.takeOver([recordWith(1), recordWith(2)], deadline)),
    );
    expect(copies.flat().map(({ isTakenOver }) => isTakenOver)).to.deep.equal([true, false, true, false]);
    expect(underWay.get(1)?.isTakenOver).to.equal(true);
    const before = takenOver.length;
    await turns.takeOver([recordWith(1)], deadline);
    expect(takenOver).to.have.length(before);
  });
});
