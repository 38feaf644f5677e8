/** Who gets a slot when there are more callbacks than slots. */
import { expect } from 'chai';
import { Overloaded, Slots } from '../../src/deliver/capacity.ts';
import { ManualClock, settle } from '../support/manual-clock.ts';

const WITHIN_MS = 1000;

describe('the slots', () => {
  let clock: ManualClock;
  let slots: Slots;
  let outcomes: string[];

  beforeEach(() => {
    clock = new ManualClock();
    slots = new Slots(clock, 4);
    outcomes = [];
  });

  const come = (botId: string, name = botId) => {
    slots.take(botId, clock.monotonic() + WITHIN_MS).then(
      () => outcomes.push(name),
      (error: unknown) => outcomes.push(`${name} ${error instanceof Overloaded ? 'refused' : 'failed'}`),
    );
  };
  const comeOften = (botId: string, count: number) => {
    for (let index = 1; index <= count; index += 1) come(botId, `${botId}${index}`);
  };

  it('are given at once while there are any', async () => {
    comeOften('a', 4);
    await settle();
    expect(outcomes).to.deep.equal(['a1', 'a2', 'a3', 'a4']);
    expect(slots.takeNow()).to.equal(false);
    slots.giveBack();
    expect(slots.takeNow()).to.equal(true);
  });

  it('are waited for in the order of arrival, and by nobody longer than he may', async () => {
    comeOften('a', 6);
    slots.giveBack();
    await settle();
    expect(outcomes.slice(4)).to.deep.equal(['a5']);
    await clock.advance(WITHIN_MS);
    expect(outcomes.slice(5)).to.deep.equal(['a6 refused']);
    expect(clock.sleeping).to.equal(0);
  });

  it('may become more, which those get who wait, or fewer, once they are given back', async () => {
    comeOften('a', 6);
    slots.resize(5);
    await settle();
    expect(outcomes.slice(4)).to.deep.equal(['a5']);
    slots.resize(3);
    slots.giveBack();
    slots.giveBack();
    await settle();
    expect(outcomes.slice(5)).to.deep.equal([]);
    slots.giveBack();
    await settle();
    expect(outcomes.slice(5)).to.deep.equal(['a6']);
  });

  it('go to the BOTs in turn, however many of one wait', async () => {
    comeOften('a', 6);
    come('b');
    come('c');
    for (let index = 0; index < 4; index += 1) slots.giveBack();
    await settle();
    expect(outcomes.slice(4)).to.deep.equal(['a5', 'b', 'c', 'a6']);
  });

  it('are refused to the last one of the BOT that waits most, not to who comes', async () => {
    comeOften('a', 8);
    come('b');
    await settle();
    expect(outcomes.slice(4)).to.deep.equal(['a8 refused']);
    come('a', 'a9');
    await settle();
    expect(outcomes.slice(5)).to.deep.equal(['a9 refused']);
    slots.giveBack();
    slots.giveBack();
    await settle();
    expect(outcomes.slice(6)).to.deep.equal(['a5', 'b']);
  });

  it('are free for others once nobody waits', async () => {
    comeOften('a', 5);
    for (let index = 0; index < 5; index += 1) slots.giveBack();
    await settle();
    expect(Array.from({ length: 5 }, () => slots.takeNow())).to.deep.equal([true, true, true, true, false]);
  });
});
