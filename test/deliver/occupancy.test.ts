/** What one callback takes from the others, and when it gives it back. */
import { expect } from 'chai';
import { type Capacity, Occupancy, Shares, Slots } from '../../src/deliver/capacity.ts';
import { ManualClock } from '../support/manual-clock.ts';

const never = () => new Promise<never>(() => undefined);

describe('what a callback occupies', () => {
  let capacity: Capacity;

  const openWith = (most: number) => {
    const slots = new Slots(new ManualClock(), most);
    capacity = { slots, shares: new Shares(most), waitingShares: new Shares(most) };
  };
  const arrive = (jobId = 'job', botId = 'bot') => {
    expect(capacity.slots.takeNow(), 'a slot').to.equal(true);
    return new Occupancy(capacity, { botId, jobId });
  };
  const freeSlots = () => {
    let count = 0;
    while (capacity.slots.takeNow()) count += 1;
    for (let index = 0; index < count; index += 1) capacity.slots.giveBack();
    return count;
  };

  beforeEach(() => openWith(4));

  it('is a slot until nothing is being delivered for it', () => {
    const callback = arrive();
    expect(callback.enter('slack')).to.equal(true);
    expect(callback.enter('email')).to.equal(true);
    callback.rest();
    expect(freeSlots()).to.equal(3);
    callback.leave('slack');
    expect(freeSlots()).to.equal(3);
    callback.leave('email');
    expect(freeSlots()).to.equal(4);
  });

  it('is no slot while it only waits, however many do', () => {
    openWith(2);
    for (const job of ['a', 'b', 'c', 'd', 'e']) {
      const callback = arrive(job, job);
      void callback.wait(never);
      callback.rest();
      expect(freeSlots()).to.equal(2);
    }
  });

  it('is a slot again when its turn has come, where one is free', () => {
    const callback = arrive();
    callback.rest();
    const others = Array.from({ length: 4 }, () => arrive('other'));
    expect(callback.enter('slack')).to.equal(false);
    others[0]?.end();
    expect(callback.enter('slack')).to.equal(true);
    expect(freeSlots()).to.equal(0);
  });

  it('is one place at a channel, however many of its deliveries go there', () => {
    openWith(2);
    const callback = arrive();
    expect(Array.from({ length: 200 }, () => callback.enter('email'))).to.not.include(false);
    const other = arrive('other', 'other');
    expect(other.enter('email')).to.equal(false);
    for (let index = 0; index < 200; index += 1) callback.leave('email');
    expect(other.enter('email')).to.equal(true);
  });

  it('is all given back at its end, once', () => {
    const callback = arrive();
    callback.enter('slack');
    callback.enter('slack');
    callback.end();
    callback.end();
    callback.leave('slack');
    expect(freeSlots()).to.equal(4);
    expect(callback.enter('slack')).to.equal(false);
    const next = arrive();
    expect(next.enter('slack')).to.equal(true);
  });

  it('is a place among those who wait, of which no job gets all', async () => {
    openWith(16);
    const waiting = [];
    for (let index = 0; index < 16; index += 1) {
      const callback = arrive();
      let isWaiting = true;
      void callback.wait(never).then(() => (isWaiting = false));
      callback.rest();
      await Promise.resolve();
      await Promise.resolve();
      waiting.push(isWaiting);
    }
    expect(waiting.filter(Boolean)).to.have.length(7);
    expect(await arrive('another', 'another').wait(() => Promise.resolve('waited'))).to.equal('waited');
  });
});
