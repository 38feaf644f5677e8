import { expect } from 'chai';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { claim, type ClaimScope, requestsFor } from '../../src/ledger/deliveries/claim.ts';
import type { Tx } from '../../src/ledger/database.ts';
import { ANY } from '../contract/ledger-bench.ts';
import { rejectionOf } from '../support/rejection-of.ts';

describe('a claim', () => {
  it('fails with its statements, also where it asks for nothing, so that no store’s trouble ends the process', async () => {
    const lost = new LedgerUnavailable('the connection is lost');
    const tx: Partial<Tx> = { all: () => Promise.reject(lost) };
    expect(await rejectionOf(claim(tx as Tx, {}))).to.equal(lost);
  });

  const waits = (...keys: readonly string[]) =>
    new Map(keys.map((each) => each.split(' ')).map(([key = '', ms]) => [key, Number(ms)]));
  const has = (count: number, destination: string) => Array<string>(count).fill(destination);
  const cases: readonly [title: string, due: string, turns: Partial<ClaimScope>, asked: string][] = [
    ['no more than 24 of a destination', 's:a', {}, 's:a 24'],
    ['64 in all, in equal parts', 's:c s:a s:b', {}, 's:a 21, s:b 21, s:c 21'],
    ['who comes after the last one first', 's:a s:b s:c', { last: 's:b' }, 's:c 21, s:a 21, s:b 21'],
    ['what it has in hand counts', 's:a s:b', { inHand: [...has(20, 's:a'), ...has(24, 's:b')] }, 's:a 4'],
    ['one where there is trouble', 's:a s:b', { troubled: ['s:a'] }, 's:a 1, s:b 24'],
    ['256 places at most', 's:a', { inHand: has(240, 's:x') }, 's:a 16'],
    ['but one of a destination', 's:a s:b', { inHand: [...has(255, 's:x'), 's:b'] }, 's:a 1'],
    ['up to 512', 's:a', { inHand: has(511, 's:x') }, 's:a 1'],
    ['and not more', 's:a', { inHand: has(512, 's:x') }, ''],
    ['none of trouble with half', 's:a s:b', { inHand: has(256, 's:x'), troubled: ['s:x', 's:a'] }, 's:b 1'],
    ['one if it has less', 's:a', { inHand: [...has(255, 's:x'), 's:y'], troubled: ['s:x', 's:a'] }, 's:a 1'],
    ['one where a slot is near', 's:a s:b', { waits: waits('s:a 1000', 's:b 1001') }, 's:a 1'],
    ['also of the channel', 's:a m:b', { waits: waits('s:a 0', 's 1001', 'm 0') }, 'm:b 1'],
    ['whatever the channel is called', 'constructor:a', {}, 'constructor:a 24'],
    [
      'no 65th',
      Array.from({ length: 65 }, (_, at) => `s:${at + 10}`).join(' '),
      { last: 's:11' },
      [...Array.from({ length: 63 }, (_, at) => `s:${at + 12} 1`), 's:10 1'].join(', '),
    ],
  ];

  it('gives each destination its share of the places, one after the other', () => {
    for (const [title, due, turns, asked] of cases) {
      const requests = requestsFor(due.split(' '), { ...ANY, ...turns });
      const shown = requests.map(({ destination, limit }) => `${destination} ${limit}`);
      expect(shown.join(', '), title).to.equal(asked);
    }
  });
});
