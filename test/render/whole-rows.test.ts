import { expect } from 'chai';
import fc from 'fast-check';
import { type RowLimits, wholeRows } from '../../src/render/liquid/value-text.ts';

const LIMITS: RowLimits<string> = {
  sizeOf: (field) => field.length + 1,
  rowSize: 2,
  markSize: 5,
  rowRoom: 20,
  room: 50,
};

function show(rows: readonly (readonly string[])[], limits: Partial<RowLimits<string>> = {}) {
  return wholeRows(rows, { ...LIMITS, ...limits });
}

function sizeOf(rows: ReturnType<typeof show>): number[] {
  return rows.map(
    ({ fields, fieldsLeftOut }) =>
      LIMITS.rowSize + (fieldsLeftOut > 0 ? LIMITS.markSize : 0) + fields.join('').length + fields.length,
  );
}

describe('the rows of a list', () => {
  it('are all shown where they fit', () => {
    const rows = [['id: 1', 'price: 500'], ['id: 2'], []];
    expect(show(rows)).to.deep.equal(rows.map((fields) => ({ fields, fieldsLeftOut: 0 })));
  });

  it('lose whole fields first, and say how many', () => {
    const [row] = show([['id: 1', 'a long description', 'ok: y', 'z: 1']]);
    expect(row).to.deep.equal({ fields: ['id: 1', 'ok: y'], fieldsLeftOut: 2 });
  });

  it('are then left out whole', () => {
    const rows = Array.from({ length: 9 }, (_, index) => [`id: ${index}`, 'price: 50']);
    expect(show(rows).map(({ fields }) => fields[0])).to.deep.equal(['id: 0', 'id: 1']);
  });

  it('are counted as fields where none of them fits, and leave no gap', () => {
    const shown = show([['x'.repeat(40)], ['id: 2']]);
    expect(shown).to.deep.equal([
      { fields: [], fieldsLeftOut: 1 },
      { fields: ['id: 2'], fieldsLeftOut: 0 },
    ]);
  });

  it('hold for any lengths: nothing is cut, everything is counted, and all of it fits', () => {
    const rows = fc.array(fc.array(fc.string({ maxLength: 30 }), { maxLength: 8 }), { maxLength: 30 });
    fc.assert(
      fc.property(rows, fc.nat(80), fc.nat(300), (given, rowRoom, room) => {
        const shown = show(given, { rowRoom, room });
        expect(shown.length).to.be.at.most(given.length);
        for (const [index, { fields, fieldsLeftOut }] of shown.entries()) {
          const whole = given[index] ?? [];
          expect(whole).to.include.members([...fields]);
          expect(whole).to.have.lengthOf(fields.length + fieldsLeftOut);
        }
        const sizes = sizeOf(shown);
        for (const size of sizes)
          expect(size).to.be.at.most(Math.max(rowRoom, LIMITS.rowSize + LIMITS.markSize));
        expect(sizes.reduce((total, size) => total + size, 0)).to.be.at.most(room);
      }),
    );
  });
});
