import { expect } from 'chai';
import fc from 'fast-check';
import { createEngine, renderText } from '../../src/render/liquid/engine.ts';
import { Meter } from '../../src/render/liquid/print-value.ts';
import { MARKUPS } from '../support/markups.ts';
import { decoded, expectWellFormed, linksIn } from './mail-rules.ts';

const ORDERS = [
  { id: 'A-1', 更新: '済', note: 'one\n  two' },
  { id: 'A-2', 更新: '未', note: '', url: 'https://example.com/?a=1&b=2' },
];

function table(
  markup: 'html' | 'text',
  items: unknown,
  most = 50,
  room = 8000,
  language: 'en' | 'ja' = 'en',
) {
  const meter = new Meter();
  const display = { timezone: 'UTC', language, links: {} };
  const liquid = createEngine({ markup: MARKUPS[markup], display, meter, partials: {} });
  meter.start();
  return renderText(liquid, liquid.parse('{{ items | table: most, room }}'), { items, most, room }, meter);
}

/** The cells of each row. */
function cellsIn(html: string): string[][] {
  return [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
      decoded(cell.replace(/<\/?a[^>]*>/g, '')),
    ),
  );
}

describe('a list in a mail', () => {
  it('is a table where its items are alike, each value as it was sent', () => {
    const html = table('html', ORDERS);
    expect(cellsIn(html)).to.deep.equal([
      ['id', '更新', 'note', 'url'],
      ['A-1', '済', 'one\n  two', ''],
      ['A-2', '未', '', 'https://example.com/?a=1&b=2'],
    ]);
    expect(linksIn(html).map(({ address }) => address)).to.deep.equal(['https://example.com/?a=1&b=2']);
    expect(html).to.match(/<\/table>$/);
  });

  it('is written field by field in a text', () => {
    expect(table('text', ORDERS)).to.equal(
      [
        '• id: A-1',
        '  更新: 済',
        '  note: one two',
        '• id: A-2',
        '  更新: 未',
        '  note: ',
        '  url: https://example.com/?a=1&b=2',
      ].join('\n'),
    );
  });

  it('is written field by field where a table would have no room for its columns', () => {
    const wide = [1, 2].map(() =>
      Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, 'v'])),
    );
    expect(table('html', wide)).to.match(/^• k0: v<br>&nbsp; k1: v<br>.*k8: v<br>• k0: v<br>/);
  });

  it('has each of its items on a line where they are no objects', () => {
    expect(table('text', ['a', { type: 'files', files: [{ meta: { name: 'b.txt' } }] }, 3])).to.equal(
      '• a\n• b.txt\n• 3',
    );
  });

  it('loses whole values first, and says how many', () => {
    const long = [{ id: 'A-1', log: 'x'.repeat(2000), 更新: '済' }, ORDERS[0]];
    expect(table('text', long.slice(0, 1))).to.equal('• id: A-1\n  更新: 済\n  … 1 more field');
    const html = table('html', [{ ...ORDERS[0], note: 'x'.repeat(2000) }, ORDERS[0]]);
    expect(cellsIn(html)[1]).to.deep.equal(['A-1', '済', '…']);
    expect(html).to.match(/<\/table>… 1 more field$/);
  });

  it('then loses whole rows, and says how many', () => {
    const many = Array.from({ length: 70 }, (_, index) => ({ id: `A-${index}`, 更新: '更新済み' }));
    const html = table('html', many, 50, 2000, 'ja');
    const rows = cellsIn(html).slice(1);
    expect(rows).to.have.lengthOf.within(5, 30);
    expect(rows.at(-1)).to.deep.equal([`A-${rows.length - 1}`, '更新済み']);
    expect(html.endsWith(`…ほか${70 - rows.length}件`)).to.equal(true);
    expect(table('text', many, 2)).to.equal(
      '• id: A-0\n  更新: 更新済み\n• id: A-1\n  更新: 更新済み\n… 68 more',
    );
  });

  it('is never cut through a key or a value, whatever it holds and however little room there is', () => {
    const value = fc.oneof(
      fc.constantFrom('更新', '<b>', 'https://example.com/x?y=1&z=2', 'a\n  b', 5, null, true),
      fc.constantFrom('長い', '& ', 'ab').map((part) => part.repeat(300)),
    );
    const row = fc.dictionary(fc.constantFrom('id', '更新', 'a<b', 'x'), value, {
      minKeys: 1,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 60, max: 6000 }),
        (rows, room) => {
          const html = table('html', rows, 50, room);
          expectWellFormed(html);
          const whole = rows.flatMap((each) =>
            Object.entries(each).map(([key, member]) => [key, decodedMember(member)]),
          );
          const [names = [], ...cells] = cellsIn(html);
          for (const shown of cells)
            for (const [at, cell] of shown.entries())
              if (cell !== '…' && cell !== '') expect(whole).to.deep.include([names[at], cell]);
          for (const line of table('text', rows, 50, room).split('\n')) {
            if (line.includes('…')) continue;
            expect(whole.map(([key, member]) => `${key}: ${member?.replace(/\s+/g, ' ').trim()}`)).to.include(
              line.slice(2),
            );
          }
          // What counts the left-out rows stands behind them.
          expect(Buffer.byteLength(html)).to.be.at.most(room + 200);
        },
      ),
    );
  });
});

function decodedMember(member: unknown): string {
  return typeof member === 'string' ? member : JSON.stringify(member);
}
