/** Between what a database gives and takes and what operations read and write. */
import { expect } from 'chai';
import { rowIn, storedValue } from '../../src/ledger/database.ts';

describe('a row of the ledger', () => {
  it('is read by the names of its columns', () => {
    const found = {
      callback_id: 7,
      is_bulk: 1,
      has_others: false,
      last_error: '{"code":"550"}',
      result: '{"code":"550"}',
      owner: null,
    };
    expect(rowIn(found)).to.deep.equal({
      callbackId: 7,
      isBulk: true,
      hasOthers: false,
      lastError: { code: '550' },
      result: '{"code":"550"}',
      owner: undefined,
    });
  });

  it('is written as both databases take it', () => {
    const bytes = new Uint8Array([1]);
    expect([undefined, null, true, { a: 1 }, ['a'], bytes, 'a', 1].map(storedValue)).to.deep.equal([
      null,
      null,
      1,
      '{"a":1}',
      '["a"]',
      bytes,
      'a',
      1,
    ]);
  });
});
