/** What ledgers know callbacks by: rows of every version hold it, so no release may change it. */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { identityOf } from '../../src/callback/callback.ts';
import { jobIdOf } from '../../src/ledger/callback-columns.ts';
import { callbackWith } from '../support/callbacks.ts';

const FIELDS = {
  code: 200,
  job_id: 'm-1',
  bot_id: 'b',
  bot_name: '請求書',
  status: 0,
  start_time: '2026-01-01T00:00:00Z',
} as const;

describe('what a ledger knows a callback by', () => {
  it('is the identity that version 0.1.0 has written', () => {
    expect(identityOf(FIELDS)).to.equal('c2fb1185aa4daf4e5fe97c661fea4c905e8388f5a5278afb660ffb792477b040');
    const odd = { message: 'a\ud83d "x"\n', output: { z: ['1', null, { k: 'é' }], a: '' } };
    expect(identityOf({ ...FIELDS, ...odd })).to.equal(
      '2fc0d5ab71894d6248f3baac811c102a1f305f76412bee0b155e402c5cfe869b',
    );
  });

  for (const { what, job_id, key } of [
    { what: 'a short id', job_id: 'm-1', key: 'm-1' },
    { what: 'an id with controls', job_id: 'a\u0000b\u202e c', key: 'ab c' },
    {
      what: 'a long id',
      job_id: 'x'.repeat(250),
      key: `${'x'.repeat(200)}… 086d4a1c293bde318dc1fec9a21b9d828ba7637bcbdc5cdb42662fd84b733e9f`,
    },
    {
      what: 'a long id with combining marks',
      job_id: 'あ\u3099'.repeat(150),
      key: `${'あ\u3099'.repeat(100)}… 98e514bf194a488852af27356bd2719dd591ca2ab7294c5ff9ee5af1f27300fd`,
    },
  ]) {
    it(`is the job key that version 0.1.0 has written, of ${what}`, () => {
      expect(jobIdOf(callbackWith({ job_id }))).to.equal(key);
    });
  }

  it('tells ids apart that no job has, and that are too long to be cleaned whole', () => {
    const keys = ['a', 'b', '\u0300'].map((end) =>
      jobIdOf(callbackWith({ job_id: `j${'\u0315'.repeat(1_000_000)}${end}` })),
    );
    expect(new Set(keys)).to.have.property('size', 3);
    for (const key of keys) expect(key).to.match(/^j\u0315{8}… [0-9a-f]{64}$/u);
    expect(jobIdOf(callbackWith({ job_id: 'x'.repeat(10_001) }))).to.equal(
      `${'x'.repeat(200)}… ${hash('sha256', 'x'.repeat(10_001), 'hex')}`,
    );
  });
});
