/** How many connections a server is asked for after it refused some, and how many mails in a while. */
import { expect } from 'chai';
import fc from 'fast-check';
import { ConnectionLimit, RateLimit } from '../../../src/channels/email/connection-limit.ts';

const MINUTE_MS = 60_000;

describe('the limit on connections', () => {
  let now: number;
  let limit: ConnectionLimit;
  beforeEach(() => {
    now = 1_000_000;
    limit = new ConnectionLimit(10, () => now);
  });

  it('is what the config allows, for as long as nobody refuses', () => {
    now += 100 * MINUTE_MS;
    expect(limit.current).to.equal(10);
  });

  it('halves at a refusal, down to one', () => {
    const after: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      limit.refused(limit.generation, limit.current);
      after.push(limit.current);
    }
    expect(after).to.deep.equal([5, 2, 1, 1, 1]);
  });

  it('halves what there was, where that was less', () => {
    limit.refused(limit.generation, 4);
    expect(limit.current).to.equal(2);
  });

  it('halves once for those that were begun together', () => {
    const { generation } = limit;
    for (let count = 10; count > 2; count -= 1) limit.refused(generation, count);
    expect(limit.current).to.equal(5);
  });

  it('grows by one a minute, up to what the config allows', () => {
    limit.refused(limit.generation, 10);
    const grown = Array.from({ length: 7 }, () => {
      now += MINUTE_MS;
      return limit.current;
    });
    expect(grown).to.deep.equal([6, 7, 8, 9, 10, 10, 10]);
    limit.refused(limit.generation, 10);
    now += 2.5 * MINUTE_MS;
    expect(limit.current).to.equal(7);
    now += 0.5 * MINUTE_MS;
    expect(limit.current).to.equal(8);
  });

  it('stays within one and what the config allows, whatever happens', () => {
    const event = fc.oneof(fc.constant('refused' as const), fc.integer({ min: 0, max: 10 * MINUTE_MS }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.array(event), (most, events) => {
        const any = new ConnectionLimit(most, () => now);
        for (const each of events) {
          if (each === 'refused') any.refused(any.generation, any.current);
          else now += each;
          expect(any.current).to.be.within(1, most);
        }
      }),
    );
  });
});

describe('the limit on mails in a while', () => {
  it('lets so many begin in each window, and says when the next one may', () => {
    let now = 0;
    const rate = new RateLimit(2, 1000, () => now);
    expect([rate.take(), rate.take(), rate.take()]).to.deep.equal([0, 0, 1000]);
    now = 400;
    expect(rate.take()).to.equal(600);
    now = 1000;
    expect([rate.take(), rate.take(), rate.take()]).to.deep.equal([0, 0, 1000]);
  });

  it('is none where none is wanted', () => {
    const rate = new RateLimit(0, 1000, () => 0);
    expect(Array.from({ length: 100 }, () => rate.take()).every((ms) => ms === 0)).to.equal(true);
  });
});
