import { expect } from 'chai';
import { markedUp, plainText, UNMARKED } from '../../src/channels/lines.ts';
import { linesOfOutputs, tableOf } from '../../src/channels/outputs.ts';
import { cardWith, filesOf, fileWith, outputWith } from '../support/cards.ts';

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
    const [one, other] = [
      { a: 1, '': 2 },
      { c: 5, '': 3, a: 4 },
    ] as const;
    const { names, rowOf } = tableOf([one, other], 10) ?? {};
    const cells = [one, other].map((row) => rowOf?.(row).map(plainText).join());
    expect([names, cells]).to.deep.equal([
      ['a', '–', 'c'],
      ['1,2,', '4,3,5'],
    ]);
  });

  it('shows of an address as much as its cell takes, with the whole host, and opens it whole', () => {
    const cellOf = (value: string) => tableOf([{ ...AB, a: value }, AB], 10)?.rowOf({ ...AB, a: value })[0];
    const path = `/${'x'.repeat(300)}`;
    const [shown] = cellOf(`https://f.example${path}`) ?? [];
    expect(shown?.text).to.match(/^https:\/\/f\.example\/x{81}…$/);
    expect(shown?.url).to.equal(`https://f.example${path}`);
    for (const value of [`https://f.example.${'x.'.repeat(50)}evil${path}`, `see https://f.example${path}`])
      expect(
        cellOf(value)
          ?.map(({ url = '' }) => url)
          .join(''),
        value,
      ).to.equal('');
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

describe('a list', () => {
  it('shows each item as long as it is where there is room for all, so that its addresses open', () => {
    const items = [1, 2].map((number) => `https://f.example/${'x'.repeat(2200)}/${number}`);
    const output = outputWith({ name: 'l', kind: 'list', items });
    const [card, most] = [cardWith({ outputs: [output] }), { outputs: 1, items: 9, tables: 0 }];
    const drawn = (within: number) => markedUp(linesOfOutputs(card, most, within), UNMARKED);
    expect(drawn(4600)).to.equal(`l (2):\n• ${items.join('\n• ')}`);
    expect(drawn(1000).length).to.be.below(1000);
  });
});

describe('an output with files', () => {
  const files = ['a.pdf', 'b.pdf'].map((name) => fileWith({ name, size: '', url: 'https://f.example/1' }));
  const drawn = (output: Parameters<typeof outputWith>[0], within = 7500) => {
    const most = { outputs: 15, items: 99, tables: 0 };
    return markedUp(linesOfOutputs(cardWith({ outputs: [outputWith(output)] }), most, within), UNMARKED);
  };
  const [one, two] = ['📎 a.pdf https://f.example/1', '📎 b.pdf https://f.example/1'];

  it('names each once, with its place in a list of other things', () => {
    const list = { name: 'l', kind: 'list', files } as const;
    expect(drawn({ ...list, items: [FILE, FILE] })).to.equal(`l (2):\n${one}\n${two}`);
    expect(drawn({ ...list, items: ['x', FILE] })).to.equal(`l (2):\n• x\n${one}\n${two}`);
    const rows = [{ no: 1, of: { ...FILE, files: [{ ref: 'a.pdf' }] } }];
    expect(drawn({ ...list, items: rows })).to.equal(`l (1):\n• no: 1 · of: a.pdf\n${one}\n${two}`);
  });

  it('names a file whose address has no room', () => {
    const long = fileWith({ name: 'a.pdf', size: '', url: `https://f.example/${'1'.repeat(100)}` });
    expect(drawn(filesOf('f', [long]), 100)).to.equal('f:\n📎 a.pdf');
    expect(drawn(filesOf('f', [long]), 200)).to.equal(`f:\n📎 a.pdf ${long.url}`);
  });
});

describe('how many outputs are left out', () => {
  it('is linked to the rest where the address takes half of the room at most', () => {
    const most = { outputs: 1, items: 99, tables: 0 };
    const card = cardWith({ outputs: [], outputCount: 9, restUrl: 'https://jobs.example/1' });
    const drawnIn = (room: number) => markedUp(linesOfOutputs(card, most, room), UNMARKED);
    expect(drawnIn(44)).to.equal('… 9 more https://jobs.example/1');
    expect(drawnIn(43)).to.equal('… 9 more');
  });
});
