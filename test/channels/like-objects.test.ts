import { expect } from 'chai';
import { plainText } from '../../src/channels/lines.ts';
import { tableOf } from '../../src/channels/outputs.ts';

const FILE = { type: 'files', files: [] };
const WIDE = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 1]));

const AB = { a: 1, b: 2 };

const NO_TABLES: Readonly<Record<string, readonly unknown[]>> = {
  'one object': [AB],
  'objects of one key': [{ a: 1 }, { a: 2 }],
  'objects that have little in common': [AB, { c: 3, d: 4 }],
  files: [FILE, FILE],
  texts: ['a', 'b'],
  'an empty object among them': [{}, AB],
  'more keys than anybody reads in a row': [WIDE, WIDE],
};

describe('a list of objects', () => {
  it('is a table where its objects have most keys in common, in whatever order', () => {
    const rows = [
      { a: 1, '': 2 },
      { c: 5, '': 3, a: 4 },
    ];
    const cells = [
      ['1', '2', ''],
      ['4', '3', '5'],
    ];
    const { names, rowOf } = tableOf(rows, 10) ?? {};
    expect([names, rows.map((row) => rowOf?.(row).map(plainText))]).to.deep.equal([['a', '–', 'c'], cells]);
  });

  it('is read no further than it is shown', () => {
    const rows = [AB, AB, 'x'];
    expect(tableOf(rows, 2)?.names).to.deep.equal(['a', 'b']);
    expect(tableOf(rows, 3)).to.equal(undefined);
  });

  it('is no table where it holds anything else', () => {
    for (const [what, items] of Object.entries(NO_TABLES))
      expect(tableOf(items, 10), what).to.equal(undefined);
  });
});
