import { expect } from 'chai';
import { randomId, systemRandom } from '../../src/text/random.ts';

describe('An id by chance', () => {
  it('is 64 digits of hexadecimal, and no two are the same', () => {
    const ids = Array.from({ length: 1000 }, () => randomId(systemRandom));
    expect(new Set(ids)).to.have.length(1000);
    for (const id of ids) expect(id).to.match(/^[\da-f]{64}$/);
  });

  it('is the same again by the same numbers', () => {
    expect(randomId(() => 0)).to.equal('0'.repeat(64));
    expect(randomId(() => 1 - 2 ** -53)).to.equal('f'.repeat(64));
  });
});
