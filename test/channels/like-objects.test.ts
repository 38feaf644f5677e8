import { expect } from 'chai';
import { tableOf } from '../../src/channels/outputs.ts';

describe('a list of objects', () => {
  it('is a table where its objects have the same keys, in whatever order', () => {
    const rows = [
      { a: 1, b: 2 },
      { b: 3, a: 4 },
    ];
    expect(tableOf(rows, 10)).to.deep.equal({
      names: ['a', 'b'],
      rows: [
        [[{ text: '1' }], [{ text: '2' }]],
        [[{ text: '4' }], [{ text: '3' }]],
      ],
    });
  });

  it('is a table where some objects lack a few of the keys', () => {
    const rows = [
      { a: 1, b: 2 },
      { a: 3, b: 4, c: 5 },
    ];
    expect(tableOf(rows, 10)?.names).to.deep.equal(['a', 'b', 'c']);
  });

  it('is read no further than it is shown', () => {
    const rows = [{ a: 1, b: 2 }, { a: 3, b: 4 }, 'x'];
    expect(tableOf(rows, 2)?.rows).to.have.lengthOf(2);
    expect(tableOf(rows, 3)).to.equal(undefined);
  });

  const file = { type: 'files', files: [] };
  const others: Readonly<Record<string, readonly unknown[]>> = {
    'one object': [{ a: 1, b: 2 }],
    'objects of one key': [{ a: 1 }, { a: 2 }],
    'objects that have little in common': [
      { a: 1, b: 2 },
      { c: 3, d: 4 },
    ],
    files: [file, file],
    texts: ['a', 'b'],
    'an empty object among them': [{}, { a: 1, b: 2 }],
    'more keys than anybody reads in a row': [1, 2].map(() =>
      Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 1])),
    ),
  };
  for (const [what, items] of Object.entries(others)) {
    it(`is no table where it holds ${what}`, () => {
      expect(tableOf(items, 10)).to.equal(undefined);
    });
  }
});
