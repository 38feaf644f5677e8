/** No secret survives in an error's text. */
import { expect } from 'chai';
import fc from 'fast-check';
import { redactor, secretsHidden } from '../../src/text/hide-secrets.ts';

describe('redaction', () => {
  it('replaces every occurrence of every secret', () => {
    const redact = redactor(secretsHidden(['xoxb-123', 'pa$$word.*']));
    expect(redact('token xoxb-123, again xoxb-123, login pa$$word.*')).to.equal(
      'token [secret], again [secret], login [secret]',
    );
  });

  it('leaves nothing behind of a secret that holds another', () => {
    expect(redactor(secretsHidden(['abcdefgh', 'abcdefghij']))('see abcdefghij and abcdefgh')).to.equal(
      'see [secret] and [secret]',
    );
  });

  it('takes an empty secret for none', () => {
    expect(redactor(secretsHidden(['']))('all well')).to.equal('all well');
  });

  it('makes one short clean line of any text', () => {
    expect(redactor(secretsHidden([]))('a\nb\u0000\u202ec  d')).to.equal('a bc d');
    const long = redactor(secretsHidden([]))('x'.repeat(100_000));
    expect(long.length).to.be.at.most(500);
    expect(long.endsWith('…')).to.equal(true);
  });

  it('finds a secret in which signs stand that nobody sees', () => {
    expect(redactor(secretsHidden(['xoxb-12345']))('no xoxb\u200b-12\u0000345, no')).to.equal(
      'no [secret], no',
    );
  });

  it('cuts only after the secrets are gone', () => {
    const redacted = redactor(secretsHidden(['S'.repeat(40)]))('x'.repeat(480) + 'S'.repeat(40));
    expect(redacted).not.to.contain('S');
  });

  it('holds for whatever text and secrets', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{8,20}$/);
    fc.assert(
      fc.property(fc.string(), secret, fc.string(), (before, hidden, after) => {
        expect(redactor(secretsHidden([hidden]))(before + hidden + after)).not.to.contain(hidden);
      }),
    );
  });
});
