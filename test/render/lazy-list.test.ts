import { expect } from 'chai';
import fc from 'fast-check';
import { lazyList } from '../../src/render/view/lazy.ts';

/** What callers may do with a list. */
const USES: Readonly<Record<string, (list: readonly string[]) => unknown>> = {
  length: (list) => list.length,
  index: (list) => [list[0], list[7], list[250], list[-1], list[1e6]],
  at: (list) => list.at(-1),
  slice: (list) => list.slice(3, 12),
  'slice from the end': (list) => list.slice(-2),
  map: (list) => list.map((item) => item.length),
  filter: (list) => list.filter((item) => item.endsWith('7')),
  find: (list) => list.find((item) => item === 'item 9'),
  spread: (list) => [...list],
  sort: (list) => list.toSorted(),
  reverse: (list) => list.toReversed(),
  concat: (list) => list.concat(['more']),
  keys: (list) => Object.keys(list),
  entries: (list) => Object.entries(list).at(-1),
  'own properties': (list) => [
    Object.hasOwn(list, 5),
    Object.hasOwn(list, '05'),
    Object.hasOwn(list, 'length'),
  ],
  in: (list) => [4 in list, 1e6 in list],
  json: (list) => JSON.stringify(list),
  isArray: (list) => Array.isArray(list),
};

function itemOf(index: number): string {
  return `item ${index}`;
}

describe('a lazy list', () => {
  for (const length of [0, 5, 200, 201, 1000]) {
    it(`is like any other of ${length}, whatever is done with it in whichever order`, () => {
      const order = fc.shuffledSubarray(Object.keys(USES), { minLength: 1 });
      fc.assert(
        fc.property(order, (names) => {
          const lazy = lazyList(length, itemOf);
          const eager = Array.from({ length }, (_, index) => itemOf(index));
          for (const name of names) expect(USES[name]?.(lazy), name).to.deep.equal(USES[name]?.(eager));
        }),
        { numRuns: 20 },
      );
    });
  }

  it('makes each item once, and only those that are looked at', () => {
    const made: number[] = [];
    const list = lazyList(1000, (index) => made.push(index));
    expect(list.slice(10, 12)).to.deep.equal([1, 2]);
    expect([list[11], list.length, made]).to.deep.equal([2, 1000, [10, 11]]);
  });
});
