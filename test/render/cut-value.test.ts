import { expect } from 'chai';
import fc from 'fast-check';
import { cutterOf, endsOf } from '../../src/text/cut.ts';

const mark = (leftOut: number) => `[${leftOut}]`;

/** In code points. */
const lengthOf = (text: string) => Array.from(text).length;

describe('a value that is cut', () => {
  it('stays as it is where it fits', () => {
    expect(cutterOf('short', 10, mark)(10)).to.equal('short');
    expect(endsOf('short', 10)).to.equal('short');
  });

  it('counts every character that it leaves out, however long it was', () => {
    const unit = fc.constantFrom('a', 'あ', '😀');
    fc.assert(
      fc.property(
        fc.string({ unit, minLength: 50, maxLength: 99 }),
        fc.integer({ min: 1, max: 200 }),
        (text, times) => {
          const long = text.repeat(times);
          const cut = cutterOf(long, 40, mark)(40);
          const [, head = '', leftOut = '', tail = ''] = /^(.*)\[(\d+)\](.*)$/u.exec(cut) ?? [];
          expect(cut.length).to.be.at.most(40);
          expect(long.startsWith(head) && long.endsWith(tail)).to.equal(true);
          expect(lengthOf(head) + Number(leftOut) + lengthOf(tail)).to.equal(lengthOf(long));
        },
      ),
    );
  });

  it('shows both ends', () => {
    expect(endsOf(`a${'x'.repeat(100)}z`, 10)).to.equal('axxxx … xxxxz');
  });
});
