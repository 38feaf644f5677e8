/** Secrets are compared whole. */
import { expect } from 'chai';
import { secretCheck } from '../../src/http/sender.ts';

describe('a secret that is given', () => {
  it('is right when it is one of those that are known', () => {
    expect(secretCheck(['a', 'b', 'c'])('b')).to.equal(true);
    expect(secretCheck(['鍵'])('鍵')).to.equal(true);
  });

  it('is wrong when it is only a part of one, or none', () => {
    const known = ['secret'];
    const given = ['', 'secre', 'secret ', 'Secret', 'secretsecret'];
    expect(given.map(secretCheck(known))).to.deep.equal(Array(5).fill(false));
    expect(secretCheck([])('')).to.equal(false);
  });
});
