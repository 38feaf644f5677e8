/** How often a reason may be logged. */
import { expect } from 'chai';
import { LineLimit } from '../../src/observe/line-limit.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('the limit of lines', () => {
  let clock: ManualClock;
  let limit: LineLimit<string>;
  let written: [string, number][];

  beforeEach(() => {
    clock = new ManualClock();
    written = [];
    limit = new LineLimit(clock, (line, notLogged) => written.push([line, notLogged]));
  });

  it('writes the first line of a reason at once, and each reason for itself', () => {
    limit.say('404', 'a');
    limit.say('403', 'b');
    expect(written).to.deep.equal([
      ['a', 0],
      ['b', 0],
    ]);
  });

  it('writes one a second of what keeps coming, the latest, and says how many more there were', async () => {
    for (const line of ['a', 'b', 'c', 'd']) limit.say('404', line);
    expect(written).to.deep.equal([['a', 0]]);
    await clock.advance(1000);
    expect(written).to.deep.equal([
      ['a', 0],
      ['d', 2],
    ]);
    limit.say('404', 'e');
    expect(written, 'the second since the last line is not over').to.have.length(2);
    await clock.advance(1000);
    expect(written.at(-1)).to.deep.equal(['e', 0]);
  });

  it('forgets a reason that comes no more', async () => {
    limit.say('404', 'a');
    await clock.advance(1000);
    expect(clock.sleeping).to.equal(0);
    limit.say('404', 'b');
    expect(written.at(-1)).to.deep.equal(['b', 0]);
  });

  it('has no more places than a hundred reasons, whatever is thought of as one', () => {
    for (let number = 0; number < 10_000; number += 1) limit.say(String(number), 'x');
    expect(written.length).to.be.at.most(101);
    expect(clock.sleeping).to.be.at.most(101);
  });

  it('writes what it holds back when it is closed, and wakes no more', async () => {
    limit.say('404', 'a');
    limit.say('404', 'b');
    limit.close();
    expect(written.at(-1)).to.deep.equal(['b', 0]);
    expect(clock.sleeping).to.equal(0);
    await clock.advance(5000);
    expect(written).to.have.length(2);
  });
});
