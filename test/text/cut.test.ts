/** Text is cut within its limit, where a reader would cut it, and so that it shows. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { cutEnd, cutMiddle, graphemeCut, UTF8_BYTES } from '../../src/text/cut.ts';
import { hostileText } from './hostile-text.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const limits = fc.integer({ min: 0, max: 60 });

function codePoints(text: string): number {
  return Array.from(text).length;
}

function longestWholePrefix(text: string, limit: number): string {
  let prefix = '';
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    if (prefix.length + segment.length > limit) break;
    prefix += segment;
  }
  return prefix;
}

/** Where it was cut: what the mark says is left out is just what is. */
function expectBothEnds(text: string, cut: string): void {
  const [, head = '', leftOut, tail = ''] = /^(.*)\n⟦(\d+)⟧\n(.*)$/s.exec(cut) ?? [];
  if (leftOut === undefined) return;
  expect(text.startsWith(head) && text.endsWith(tail)).to.equal(true);
  expect(codePoints(text) - codePoints(head) - codePoints(tail)).to.equal(Number(leftOut));
}

describe('graphemeCut', () => {
  it('keeps whole graphemes only', () => {
    expect(graphemeCut(`ab${FAMILY}c`, 12)).to.equal('ab');
    expect(graphemeCut(`ab${FAMILY}c`, 13)).to.equal(`ab${FAMILY}`);
    expect(graphemeCut('🇯🇵🇫🇷', 6)).to.equal('🇯🇵');
  });

  it('cuts a grapheme that alone is larger than the limit, but no code point', () => {
    expect(graphemeCut(FAMILY, 4)).to.equal('👨\u200d');
    expect(graphemeCut(FAMILY, 1)).to.equal('');
  });

  it('leaves what fits alone and nothing of a limit of nothing', () => {
    expect(graphemeCut('abc', 3)).to.equal('abc');
    expect(graphemeCut('abc', 0)).to.equal('');
    expect(graphemeCut('abc', -5)).to.equal('');
  });

  it('is the longest prefix of whole graphemes, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), limits, (text, limit) => {
        const expected = longestWholePrefix(text.toWellFormed(), limit);
        const cut = graphemeCut(text.toWellFormed(), limit);
        if (expected !== '') expect(cut).to.equal(expected);
        expect(cut.length).to.be.at.most(limit);
        expect(cut.isWellFormed()).to.equal(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('cutEnd', () => {
  it('leaves what fits alone, and else ends with the mark within the limit', () => {
    expect(cutEnd('abcdef', 6, '…')).to.equal('abcdef');
    expect(cutEnd('abcdef', 5, '…')).to.equal('abcd…');
    expect(cutEnd(`${FAMILY}${FAMILY}`, 13, '…')).to.equal(`${FAMILY}…`);
  });

  it('drops a mark that has no room', () => {
    expect(cutEnd('abcdef', 3, ' (cut)')).to.equal('abc');
  });

  it('stays within the limit and well-formed, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), limits, (text, limit) => {
        const cut = cutEnd(text.toWellFormed(), limit, '…');
        expect(cut.length).to.be.at.most(limit);
        expect(cut.isWellFormed()).to.equal(true);
      }),
    );
  });
});

describe('cutEnd in bytes', () => {
  it('counts UTF-8 bytes', () => {
    expect(cutEnd('日本語', 9, '…', UTF8_BYTES)).to.equal('日本語');
    expect(cutEnd('日本語', 8, '…', UTF8_BYTES)).to.equal('日…');
    expect(cutEnd('aé😀b', 7, '…', UTF8_BYTES)).to.equal('aé…');
    expect(cutEnd('日本語', 2, '…', UTF8_BYTES)).to.equal('');
  });

  it('stays within the bytes and uses what it can, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), limits, (text, limit) => {
        const cut = cutEnd(text, limit, '…', UTF8_BYTES);
        expect(Buffer.byteLength(cut)).to.be.at.most(limit);
        expect(cut.isWellFormed()).to.equal(true);
        if (Buffer.byteLength(text) <= limit) expect(cut).to.equal(text);
      }),
    );
  });
});

describe('cutMiddle', () => {
  const mark = (leftOut: number) => ` … ${leftOut} … `;

  it('keeps two thirds of the room for the beginning and the rest for the end', () => {
    expect(cutMiddle(`${'a'.repeat(100)}${'z'.repeat(100)}`, 39, mark)).to.equal(
      `${'a'.repeat(20)} … 170 … ${'z'.repeat(10)}`,
    );
  });

  it('says how many characters are missing, an emoji counting as what it is made of', () => {
    expect(cutMiddle('😀'.repeat(40), 29, mark)).to.equal(`${'😀'.repeat(7)} … 30 … ${'😀'.repeat(3)}`);
  });

  it('leaves what fits alone', () => {
    expect(cutMiddle('abc', 3, mark)).to.equal('abc');
  });

  it('keeps the beginning alone where the mark has no room', () => {
    expect(cutMiddle('abcdefghij', 5, mark)).to.equal('abcde');
  });

  it('copes with a mark that grows the less it names', () => {
    const growing = (leftOut: number) => '.'.repeat(Math.max(1, 30 - leftOut));
    for (let limit = 0; limit < 30; limit += 1) {
      expect(cutMiddle('abcdefghijklmnopqrstuvwxyz123456', limit, growing).length).to.be.at.most(limit);
    }
  });

  it('stays within the limit, cuts no grapheme and counts exactly, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), limits, (raw, limit) => {
        const text = raw.toWellFormed();
        const cut = cutMiddle(text, limit, (leftOut) => `\n⟦${leftOut}⟧\n`);
        expect(cut.length).to.be.at.most(limit);
        expect(cut.isWellFormed()).to.equal(true);
        expectBothEnds(text, cut);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('cutMiddle in bytes', () => {
  it('keeps both ends within so many bytes of UTF-8, whatever the text', () => {
    expect(cutMiddle('あ'.repeat(20), 29, () => '…', UTF8_BYTES)).to.equal(
      `${'あ'.repeat(6)}…${'あ'.repeat(2)}`,
    );
    fc.assert(
      fc.property(hostileText(), limits, (raw, limit) => {
        const text = raw.toWellFormed();
        const cut = cutMiddle(text, limit, (leftOut) => `\n⟦${leftOut}⟧\n`, UTF8_BYTES);
        expect(Buffer.byteLength(cut)).to.be.at.most(limit);
        expect(cut.isWellFormed()).to.equal(true);
        expectBothEnds(text, cut);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('cutting megabytes', () => {
  it('looks at no more than it keeps', () => {
    const hostile = ['a', '日', '&', '<', '`', '👩\u200d', '🇯', '\u0301'].map((unit) => unit.repeat(500_000));
    for (const text of hostile) {
      expect(graphemeCut(text, 3000).length).to.be.at.most(3000);
      expect(cutEnd(text, 3000, '…', UTF8_BYTES).length).to.be.at.most(3000);
      expect(cutMiddle(text, 3000, () => '…').length).to.be.at.most(3000);
    }
  });
});
