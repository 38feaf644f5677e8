/** A typo gets a suggestion, a different word none. */
import { expect } from 'chai';
import { nearest } from '../../src/text/nearest.ts';

const KEYS = ['receiver', 'admin', 'store', 'delivery', 'take_over_after', 'on'];

describe('nearest', () => {
  it('finds the name that a misspelt one was meant to be', () => {
    expect(nearest('reciever', KEYS)).to.equal('receiver');
    expect(nearest('Stor', KEYS)).to.equal('store');
    expect(nearest('takeOverAfter', KEYS)).to.equal('take_over_after');
    expect(nearest('in', KEYS)).to.equal('on');
  });

  it('prefers the nearest of several', () => {
    expect(nearest('slakc', ['black', 'slack', 'sack'])).to.equal('slack');
  });

  it('suggests nothing where nothing is near', () => {
    expect(nearest('webhook', KEYS)).to.equal(undefined);
    expect(nearest('off', KEYS)).to.equal(undefined);
    expect(nearest('', KEYS)).to.equal(undefined);
    expect(nearest('x', [])).to.equal(undefined);
  });

  it('wastes no time on a word longer than any name', () => {
    expect(nearest('receiver'.repeat(100_000), KEYS)).to.equal(undefined);
  });
});
