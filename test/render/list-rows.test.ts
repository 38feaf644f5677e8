import { expect } from 'chai';
import { cleanLine } from '../../src/text/clean.ts';
import { cellsOf, type ListLimits, rowsOf } from '../../src/render/liquid/list-filters.ts';

const LIMITS: ListLimits = { most: 10, room: 1000, language: 'en', clean: cleanLine };
const long = 'x'.repeat(500);

describe('a list that is too long', () => {
  describe('as rows', () => {
    it('loses whole fields of a row, which are counted, never a part of a key', () => {
      const items = [
        { 更新: '2026-11-20', 内容: 'あ'.repeat(40), 状態: '済' },
        { 更新: '2026-11-21', 内容: 'い'.repeat(40), 状態: '未' },
      ];
      expect(rowsOf(items, { ...LIMITS, room: 60 }).rows[0]).to.match(
        /^更新: 2026-11-20 · 状態: 済 · … 1 more field$/,
      );
      expect(rowsOf(items, { ...LIMITS, room: 60, language: 'ja' }).rows[0]).to.match(/ · …ほか1項目$/);
      expect(rowsOf(items, LIMITS).rows.join()).not.to.include('more');
    });

    it('loses whole rows beyond its room, which are counted', () => {
      const items = Array.from({ length: 9 }, (_, index) => ({ n: index, text: 'y'.repeat(40) }));
      const { rows, marks } = rowsOf(items, { ...LIMITS, room: 200 });
      expect(rows).to.have.lengthOf.within(2, 3);
      for (const row of rows) expect(row).to.match(/^n: \d · text: y{40}$/);
      expect(marks).to.deep.equal([`… ${9 - rows.length} more`]);
    });

    it('shows its first row, however little room there is', () => {
      expect(rowsOf([long, 'b'], { ...LIMITS, room: 1 }).rows).to.have.lengthOf(1);
    });

    it('cuts one long value so that it shows, in its middle', () => {
      expect(rowsOf([{ key: `${long}END` }], LIMITS).rows[0]).to.match(/^key: x+ … x+END$/);
      expect(rowsOf([`BEGIN${long}END`], LIMITS).rows[0]).to.match(/^BEGINx+ … x+END$/);
    });
  });

  describe('as a table', () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({ id: `a ${index}  b`, text: long, state: 'ok' }));

    it('loses whole columns and whole rows, which are counted, and cuts long cells so that it shows', () => {
      const table = cellsOf(rows, { ...LIMITS, room: 400, clean: String });
      expect(table?.names).to.deep.equal(['id', 'text', 'state']);
      expect(table?.rows).to.have.lengthOf(3);
      expect(table?.rows[0]?.[0]).to.equal('a 0  b');
      expect(table?.rows[0]?.[1]).to.match(/^x+ … x+$/);
      expect(table?.more).to.equal('… 27 more');
      const narrow = cellsOf(rows, { ...LIMITS, room: 100 });
      expect(narrow?.names).to.deep.equal(['id', 'state']);
      expect(narrow?.more).to.match(/^… 1 more field · … \d+ more$/);
    });

    it('is none where its items are not alike', () => {
      expect(cellsOf(['a', 'b'], LIMITS)).to.equal(undefined);
    });
  });
});
