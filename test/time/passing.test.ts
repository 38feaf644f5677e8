import { expect } from 'chai';
import { Passing } from '../../src/time/clock.ts';

describe('What is under way', () => {
  it('comes in the order in which it came, the latest under its key alone', () => {
    const passing = new Passing<string, number>();
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['a', 4],
    ] as const)
      passing.set(key, value);
    passing.delete('b');
    passing.delete('unknown');
    expect([...passing]).to.deep.equal([3, 4]);
    expect(passing.get('a')).to.equal(4);
    expect(passing.get('b')).to.equal(undefined);
  });
});
