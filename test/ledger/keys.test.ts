/** What ledgers know callbacks by: rows hold it, so no release may change it. */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { identityOf } from '../../src/callback/callback.ts';
import { keyOf, keysFor, nameIn } from '../../src/ledger/callbacks/keys.ts';

const FIELDS = {
  code: 200,
  job_id: 'm-1',
  bot_id: 'b',
  bot_name: '請求書',
  status: 0,
  start_time: '2026-01-01T00:00:00Z',
} as const;

describe('what a ledger knows a callback by', () => {
  it('is the same identity in every release', () => {
    expect(identityOf(FIELDS)).to.equal('5ad925d440d3bfce8bdd10195bf93e250291f731814def322b2344fbfdc76005');
    const odd = { message: 'a\ud83d "x"\n', output: { z: ['1', null, { k: 'é' }], a: '' } };
    expect(identityOf({ ...FIELDS, ...odd })).to.equal(
      '31a845d3f14ad5a00bad5d2168ccab735081874d991c02b76a4bb836d8636a56',
    );
  });

  const of = (hashed: string) => `${'x'.repeat(66)}… ${hashed}`;
  for (const [what, id, key] of [
    ['a short id', 'm-1', 'm-1'],
    ['an id with controls', 'a\u0000b\u202e c', 'ab c'],
    ['an id of 200 bytes', 'x'.repeat(200), 'x'.repeat(200)],
    [
      'an id of 10,000 characters, one of them a control',
      `\u0000${'x'.repeat(9_999)}`,
      of('bc43195302067a9f1ca19881690de22d0e67b0c0885ad4160bc25804da891218'),
    ],
    ['a longer id', 'x'.repeat(250), of('086d4a1c293bde318dc1fec9a21b9d828ba7637bcbdc5cdb42662fd84b733e9f')],
  ] as const)
    it(`is the same key of ${what} in every release`, () => {
      expect(keyOf(id)).to.equal(key);
    });

  it('takes no more of an index than it has, whatever the id, and has no name longer than a route’s pattern looks at', () => {
    for (const letter of ['x', '請', '\u{20000}']) {
      expect(Buffer.byteLength(keyOf(letter.repeat(999)))).to.be.below(300);
      expect(Buffer.byteLength(nameIn(letter.repeat(100_000)))).to.be.at.most(8000);
    }
  });

  it('tells ids apart that no job has, and that are too long to be cleaned whole', () => {
    const keys = ['a', 'b', '\u0300'].map((end) => keyOf(`j${'\u0315'.repeat(1_000_000)}${end}`));
    expect(new Set(keys)).to.have.property('size', 3);
    for (const key of keys) expect(key).to.match(/^j\u0315{8}… [0-9a-f]{64}$/u);
    const long = 'x'.repeat(10_001);
    expect(keyOf(long)).to.equal(of(hash('sha256', long, 'hex')));
  });

  it('is found by the id as it came and as the ledger has it', () => {
    for (const id of ['m-1', 'x'.repeat(250)]) expect(keysFor(keyOf(id))).to.include(keyOf(id));
    for (const id of ['m-1', ' m-1 ', ` ${'x'.repeat(250)}`]) expect(keysFor(id)).to.include(keyOf(id));
    expect(keysFor(' m-1 ')).to.include('m-1');
  });
});
