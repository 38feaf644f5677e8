import { expect } from 'chai';
import fc from 'fast-check';
import { fairShares } from '../../src/render/liquid/filters.ts';

describe('fair shares', () => {
  it('give everybody what he needs where there is room', () => {
    expect(fairShares([5, 900, 0], 1000)).to.deep.equal([5, 900, 0]);
  });

  it('divide what is left among those who need more than the others', () => {
    expect(fairShares([900, 10, 700], 1000)).to.deep.equal([495, 10, 495]);
  });

  it('never exceed the room, and cut nobody who needs less than another gets', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(500), { maxLength: 20 }), fc.nat(2000), (needs, room) => {
        const shares = fairShares(needs, room);
        expect(shares.reduce((total, share) => total + share, 0)).to.be.at.most(room);
        const most = Math.max(0, ...shares);
        for (const [index, share] of shares.entries())
          expect(share).to.be.within(
            Math.min(needs[index] ?? 0, Math.max(0, most - needs.length)),
            needs[index] ?? 0,
          );
      }),
    );
  });
});
