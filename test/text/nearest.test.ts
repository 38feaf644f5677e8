/** A typo gets a suggestion, a different word none. */
import { expect } from 'chai';
import { nearest } from '../../src/text/nearest.ts';

const KEYS = ['receiver', 'admin', 'store', 'delivery', 'take_over_after', 'on', 'black', 'slack', 'sack'];

describe('nearest', () => {
  it('finds the name that a misspelt one was meant to be, the nearest of several, or none', () => {
    for (const [word, name] of [
      ['reciever', 'receiver'],
      ['Stor', 'store'],
      ['takeOverAfter', 'take_over_after'],
      ['in', 'on'],
      ['slakc', 'slack'],
      ['webhook', undefined],
      ['off', undefined],
      ['', undefined],
      ['receiver'.repeat(100_000), undefined],
    ] as const)
      expect(nearest(word, KEYS)).to.equal(name);
    expect(nearest('x', [])).to.equal(undefined);
  });
});
