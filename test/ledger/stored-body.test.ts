/** Large bodies are compressed in SQLite, off the event loop, and cost the disk little. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import {
  bodyText,
  type BodyToStore,
  BodyCompressor,
  bytesToStore,
  Deflated,
  LARGE_BYTES,
  readBody,
} from '../../src/ledger/stored-body.ts';
import { arrivalOf } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('a stored body', () => {
  const compressor = new BodyCompressor(true);
  const compressed = async (text: string) => compressor.toStore(Buffer.from(text));
  const readBoth = async (body: BodyToStore) => {
    const stored = body instanceof Deflated ? body.bytes : Buffer.from(body).toString('utf8');
    return [bodyText(stored), (await readBody(stored)).toString()];
  };

  it('of common size stays as it is', () => {
    const body = Buffer.from('{}'.repeat(LARGE_BYTES / 2 - 1));
    expect(compressor.toStore(body)).to.equal(body);
  });

  it('that is large is deflated, and comes back to the letter', async () => {
    const text = JSON.stringify({ 請求書: 'é\u{1f600}'.repeat(LARGE_BYTES) });
    const body = await compressed(text);
    expect(body).to.be.instanceOf(Deflated);
    expect(bytesToStore(body).byteLength).to.be.lessThan(text.length / 20);
    expect(await readBoth(body)).to.deep.equal([text, text]);
  });

  it('that nothing can be gained of stays as it is', async () => {
    const body = randomBytes(LARGE_BYTES);
    expect(await compressor.toStore(body)).to.equal(body);
  });

  it('is compressed however many come at once', async () => {
    const texts = Array.from({ length: 20 }, (_, number) => `${number}`.repeat(LARGE_BYTES));
    const bodies = await Promise.all(texts.map(compressed));
    expect(await Promise.all(bodies.map(readBoth))).to.deep.equal(texts.map((text) => [text, text]));
  });
});

describe('a SQLite ledger', () => {
  it('keeps forty callbacks of 8 MB that are nothing but brackets in a few megabytes, and refused bodies likewise', async () => {
    const clock = new ManualClock();
    const store = createSqliteStore(clock);
    const ledger = await store.open({ clock, owner: 'one', leaseMs: 18_000, takeOverAfterMs: 120_000 });
    const output = Array.from({ length: 2_600_000 }, () => ({}));
    const body = Buffer.from(JSON.stringify(callbackWith({ output: { output } })));
    for (let number = 0; number < 40; number += 1) {
      await ledger.admit({ ...arrivalOf(callbackWith({ job_id: `job-${number}` }), [], clock.now()), body });
    }
    const text = '[]'.repeat(32 * 1024);
    const refused = { receivedAt: 0, status: 422, detail: '', errors: [], from: '', body: text } as const;
    for (let number = 0; number < 100; number += 1) await ledger.refuse(refused);
    await ledger.close();
    const [{ pages } = { pages: 0 }] = store
      .connect()
      .prepare('select page_count as pages from pragma_page_count')
      .all() as { pages: number }[];
    expect(pages * 4096).to.be.lessThan(4 * 1024 * 1024);
    expect(bodyText((await store.rows('refused'))[0]?.['body'] as Uint8Array)).to.equal(text);
    await store.close();
  });
});
