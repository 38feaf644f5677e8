/** What a callback adds to a store is reckoned before it is written: its names may be longer than its compressed body. */
import { expect } from 'chai';
import { bytesOfNames, callbackRow } from '../../src/ledger/callback-columns.ts';
import { arrivalOf } from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';

describe('the names of a callback', () => {
  for (const name of [
    '',
    'invoice',
    '請求書'.repeat(100),
    '請'.repeat(100_000),
    '\u{20000}'.repeat(100_000),
  ]) {
    it(`take no more of a store than is reckoned: ${name.length} characters of '${name.slice(0, 6)}'`, () => {
      const callback = callbackWith({ bot_id: name, bot_name: name });
      const row = callbackRow(arrivalOf(callback, [], 0), Buffer.from('{}'), 'job', 'identity');
      const stored = Buffer.byteLength(row.bot_id) + Buffer.byteLength(row.bot_name);
      expect(bytesOfNames(callback))
        .to.be.within(stored, 2 * Buffer.byteLength(name))
        .and.at.most(16_000);
    });
  }
});
