import type { LookupAddress } from 'node:dns';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { rememberingLookup } from '../../src/outbound/lookup.ts';
import { ManualClock, SECOND } from '../support/manual-clock.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const [OLD, NEW] = [
  { address: '192.0.2.1', family: 4 },
  { address: '192.0.2.2', family: 4 },
];

describe("A look-up of a host's addresses", () => {
  let asked: number;
  let answer: Promise<readonly LookupAddress[]>;
  /** Ends a look-up that has no answer so far. */
  let answerNow: (found: readonly LookupAddress[]) => void;
  let clock: ManualClock;
  let look: (host?: string) => Promise<unknown>;

  const hang = () => {
    answer = new Promise((resolve) => (answerNow = resolve));
  };

  beforeEach(() => {
    [asked, clock, answer] = [0, new ManualClock(), Promise.resolve([OLD])];
    const shared = promisify(rememberingLookup(() => ((asked += 1), answer), clock));
    look = (host = 'a.example') => shared(host, { all: true });
  });

  it('is made once for all who ask while it lasts, as Node makes only two at a time', async () => {
    hang();
    const both = [look(), look()];
    answerNow([OLD]);
    expect(await Promise.all(both)).to.deep.equal([[OLD], [OLD]]);
    await look();
    expect(asked).to.equal(2);
  });

  it('finds the last addresses after a second without an answer, and the next one those that then came', async () => {
    await look();
    hang();
    const early = look();
    await clock.advance(SECOND);
    expect(await early).to.deep.equal([OLD]);
    answerNow([NEW]);
    expect(await look()).to.deep.equal([NEW]);
  });

  it('finds the last addresses where name servers fail, and none of a name that is gone', async () => {
    await look();
    const fail = (code: string) => (answer = Promise.reject(Object.assign(new Error(code), { code })));
    await fail('EAI_AGAIN').catch(() => undefined);
    expect(await look()).to.deep.equal([OLD]);
    expect(await rejectionOf(look('b.example'))).to.include({ code: 'EAI_AGAIN' });
    await fail('ENOTFOUND').catch(() => undefined);
    expect(await rejectionOf(look())).to.include({ code: 'ENOTFOUND' });
  });

  it('takes four addresses of each family, which leaves time for the last one', async () => {
    const many = (family: number) => ['1', '2', '3', '4', '5'].map((address) => ({ address, family }));
    answer = Promise.resolve([...many(6), ...many(4)]);
    expect(await look()).to.deep.equal([...many(6).slice(0, 4), ...many(4).slice(0, 4)]);
  });
});
