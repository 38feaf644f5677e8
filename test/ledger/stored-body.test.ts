/** A body is kept as it came, and deflated only where it is large. */
import { expect } from 'chai';
import { DEFLATED_FROM_BYTES, storedText, toStored } from '../../src/ledger/stored-body.ts';

describe('a stored body', () => {
  it('of common size stays as it is', async () => {
    const body = Buffer.from(`"${'x'.repeat(DEFLATED_FROM_BYTES - 3)}"`);
    expect(await toStored(body)).to.equal(body);
    expect(storedText(body)).to.equal(body.toString());
  });

  it('that is large is deflated, and comes back to the letter', async () => {
    const text = JSON.stringify({ 請求書: 'é\u{1f600}'.repeat(DEFLATED_FROM_BYTES) });
    const stored = await toStored(Buffer.from(text));
    expect(stored.byteLength).to.be.lessThan(text.length / 20);
    expect(storedText(stored)).to.equal(text);
    expect(storedText(new Uint8Array(stored)), 'as another thread hands it over').to.equal(text);
  });

  it('is read without its byte order mark', () => {
    expect(storedText(Buffer.from('\ufeff{}'))).to.equal('{}');
  });
});
