/** How often a reason may be logged. */
import { expect } from 'chai';
import { type LineLimit, lineLimit } from '../../src/observe/line-limit.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('the limit of lines', () => {
  let clock: ManualClock;
  let limit: LineLimit<string>;
  let written: [string, number][];

  beforeEach(() => {
    clock = new ManualClock();
    written = [];
    limit = lineLimit(clock, 1000, (line, notLogged) => written.push([line, notLogged]));
  });

  it('writes the first line of a reason, and each reason for itself', () => {
    limit('404', 'a');
    limit('403', 'b');
    expect(written).to.deep.equal([
      ['a', 0],
      ['b', 0],
    ]);
  });

  it('writes one a second of what keeps coming, and says how many there were meanwhile', async () => {
    for (const line of ['a', 'b', 'c', 'd']) limit('404', line);
    await clock.advance(999);
    limit('404', 'e');
    await clock.advance(1);
    for (const line of ['f', 'g']) limit('404', line);
    expect(written).to.deep.equal([
      ['a', 0],
      ['f', 4],
    ]);
  });

  it('has no more places than a hundred reasons, whatever is thought of as one', () => {
    for (let number = 0; number < 10_000; number += 1) limit(String(number), 'x');
    expect(written.length).to.be.at.most(101);
  });
});
