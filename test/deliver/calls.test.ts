/** Who may call: nobody waits for a place that the trouble of another destination holds. */
import { expect } from 'chai';
import { Calls } from '../../src/deliver/destinations.ts';
import { settle } from '../support/manual-clock.ts';

describe('the calls of a process', () => {
  const begin = (calls: Calls, destinations: number, of: (number: number) => string) =>
    Array.from({ length: destinations }, (_, number) => calls.begin(of(number))).filter(Boolean).length;

  it('are forty of one destination at most, and 512 in all, of which the half are each the only one of its destination', () => {
    const calls = new Calls();
    expect(
      begin(calls, 1000, (number) => `busy:${number % 10}`),
      'of ten',
    ).to.equal(256);
    expect(
      begin(calls, 1000, (number) => `other:${number}`),
      'of a thousand',
    ).to.equal(256);
    expect(
      begin(new Calls(), 100, () => 'slack:#ops'),
      'of one',
    ).to.equal(40);
  });

  it('to destinations in trouble are half of all at most, so that others have the rest', () => {
    const calls = new Calls();
    const troubled = (number: number) => `down:${number}`;
    for (let number = 0; number < 400; number += 1) calls.note(troubled(number), true);
    expect(begin(calls, 400, troubled)).to.equal(256);
    expect(begin(calls, 400, (number) => `up:${number}`)).to.equal(256);
    calls.end('up:0');
    expect(calls.begin('down:399'), 'with room').to.equal(false);
    calls.note('down:399', false);
    expect(calls.begin('down:399'), 'that has answered').to.equal(true);
  });

  it('that end give their places to the destinations that wait, in turn', async () => {
    const calls = new Calls();
    begin(calls, 512, (number) => `other:${number}`);
    const order: string[] = [];
    const wait = (destination: string) =>
      void calls.waitForPlace(destination).then(() => order.push(destination));
    wait('slack:#a');
    wait('slack:#b');
    await settle();
    expect(order).to.deep.equal([]);
    calls.end('other:0');
    await settle();
    expect(order).to.deep.equal(['slack:#a']);
    calls.end('slack:#a');
    await settle();
    expect(order).to.deep.equal(['slack:#a', 'slack:#b']);
  });
});
