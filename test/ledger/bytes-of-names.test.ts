/** Names may be longer than the compressed body that they came in. */
import { expect } from 'chai';
import { callbackRow } from '../../src/ledger/callback-columns.ts';
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
    it(`take little of a store: ${name.length} characters of '${name.slice(0, 6)}'`, () => {
      const callback = callbackWith({ bot_id: name, bot_name: name });
      const row = callbackRow(arrivalOf(callback, [], 0), Buffer.from('{}'), 'job', 'identity');
      const stored = Buffer.byteLength(row.bot_id) + Buffer.byteLength(row.bot_name);
      expect(stored)
        .to.be.at.most(2 * Buffer.byteLength(name))
        .and.at.most(16_000);
    });
  }
});
