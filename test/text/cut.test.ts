import { expect } from 'chai';
import * as fc from 'fast-check';
import { cleanLine } from '../../src/text/clean.ts';
import { charactersWithin, cleanMiddle, cutEnd, cutMiddle, endsOf, fitEscaped } from '../../src/text/cut.ts';
import { graphemeCut, shortLine, shortText } from '../../src/text/cut.ts';
import { hostileText } from './hostile-text.ts';
import { sized } from '../support/test-size.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const limits = fc.integer({ min: 0, max: 60 });

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
  expect(text.length - head.length - tail.length).to.equal(Number(leftOut));
}

describe('graphemeCut', () => {
  it('cuts a grapheme that alone is larger than the limit, but no code point, and leaves what fits', () => {
    expect([3, 0, -5].map((limit) => graphemeCut('\nbc', limit))).to.deep.equal(['\nbc', '', '']);
    expect([4, 3].map((limit) => graphemeCut(FAMILY, limit))).to.deep.equal(['👨\u200d', '👨\u200d']);
    expect(graphemeCut(FAMILY, 1)).to.equal('');
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
      { numRuns: sized(300, 2000) },
    );
  });
});

describe('cutEnd', () => {
  it('leaves what fits alone, and else ends within the limit, with the mark if that has room', () => {
    expect([6, 5].map((limit) => cutEnd('abcdef', limit, '…'))).to.deep.equal(['abcdef', 'abcd…']);
    expect(cutEnd(`${FAMILY}${FAMILY}`, 13, '…')).to.equal(`${FAMILY}…`);
    expect(cutEnd('abcdef', 3, ' (cut)')).to.equal('abc');
  });
});

describe('charactersWithin', () => {
  it('is all that fits into UTF-8 bytes, and parts no code point, whatever the text', () => {
    expect(charactersWithin('日本語', -1)).to.equal(0);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), limits, (text, limit) => {
        const kept = text.slice(0, charactersWithin(text, limit));
        expect(Buffer.byteLength(kept)).to.be.within(Math.min(limit - 3, Buffer.byteLength(text)), limit);
        expect(kept.isWellFormed()).to.equal(true);
      }),
    );
  });
});

describe('cutMiddle', () => {
  it('keeps two thirds of the room for the beginning, cuts no short word, id or address, and says how many UTF-16 units are missing', () => {
    for (const [text, limit, kept] of [
      [`${'a'.repeat(100)}${'z'.repeat(100)}`, 39, `${'a'.repeat(20)} … 170 … ${'z'.repeat(10)}`],
      ['😀'.repeat(40), 29, `${'😀'.repeat(7)} … 60 … ${'😀'.repeat(3)}`],
      ['abc', 3, 'abc'],
      ['a'.repeat(20), 20, 'a'.repeat(20)],
      [`line one\n${FAMILY.repeat(8)}`, 49, `line one\n${FAMILY} … 66 … ${FAMILY}`],
      ['one two three four five six seven is eight', 29, 'one two three … 21 … is eight'],
      ['abcdefghij', 5, 'abcde'],
      ['one two three four five six seven eight', 29, 'one two three … 21 … eight'],
      [
        '入金の処理コード3f2b8c1eを待つ。次の処理9a517d4aは処理が済み',
        26,
        '入金の処理コード … 24 … は処理が済み',
      ],
      [`see https://example.com/${'a/'.repeat(40)} now`, 60, 'see … 102 … now'],
      [
        `手順 https://example.com/運用/${'手順書/'.repeat(20)} です`,
        60,
        '手順 … 58 … 書/手順書/手順書/手順書/手順書/手順書/手順書/手順書/手順書/手順書/手順書/手順書/ です',
      ],
      [
        `手順はhttps://example.com/1を見て${'ください'.repeat(20)}`,
        60,
        '手順はhttps://example.com/1を見てくださいくださ … 56 … いくださいくださいくださいください',
      ],
    ] as const)
      expect(cutMiddle(text, limit, (leftOut) => ` … ${leftOut} … `)).to.equal(kept);
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
      { numRuns: sized(300, 2000) },
    );
  });
});

describe('cleanMiddle', () => {
  it('reads the ends alone of a text that is much longer than what is left of it', () => {
    for (const [text, kept] of [
      ['a\u200bb', 'ab'],
      [`${'a\u200b'.repeat(50)}z`, `${'a'.repeat(21)} … 20 … ${'a'.repeat(9)}z`],
      ['a'.repeat(1000), `${'a'.repeat(20)} … 971 … ${'a'.repeat(9)}`],
      [`${'a'.repeat(100)}${'\0'.repeat(800)}${'z'.repeat(100)}`, `${'a'.repeat(20)} … 971 … zzzzzzzzz`],
    ] as const)
      expect(cleanMiddle(text, 39, (leftOut) => ` … ${leftOut} … `)).to.equal(kept);
  });
});

describe('fitEscaped', () => {
  const escaped = (part: string) => part.replaceAll('&', '&amp;');
  const fit = (text: string, most: number) => fitEscaped(text, most, escaped, () => '…');

  it('leaves out of the middle what is too long once it is escaped, and no more', () => {
    expect([fit('a&', 6), fit('a&', 5)]).to.deep.equal(['a&amp;', '…']);
    expect(fit('&'.repeat(20), 100)).to.equal('&amp;'.repeat(20));
    expect(fit('a'.repeat(90), 60)).to.equal(`${'a'.repeat(40)}…${'a'.repeat(19)}`);
    expect(fit('&'.repeat(100), 400)).to.match(/^(&amp;){45,53}…(&amp;){20,26}$/);
  });
});

describe('endsOf', () => {
  it('shows both ends', () => {
    expect(endsOf('short', 10)).to.equal('short');
    expect(endsOf(`a${'x'.repeat(100)}z`, 10)).to.equal('axxxx … xz');
  });
});

describe('shortLine', () => {
  it('is the clean line, cut between characters where it is long, so that it shows', () => {
    for (const [text, line] of [
      ['  get_items\n ', 'get_items'],
      [`a${' '.repeat(40)}b`, 'a b'],
      ['get_items_2', 'get_item…'],
      ['😀'.repeat(500_000), '😀😀😀😀…'],
      [`a${' '.repeat(100)}b`, 'a…'],
      ['\u200b'.repeat(100), '…'],
    ] as const)
      expect(shortLine(text, 9)).to.equal(line);
  });

  it('is clean and within its limit, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), fc.integer({ min: 1, max: 30 }), (text, limit) => {
        const line = shortLine(text, limit);
        expect(line.length).to.be.at.most(limit);
        expect(line).to.match(/^[^\r\n]*$/);
        expect(line.isWellFormed()).to.equal(true);
        if (text.length <= limit && cleanLine(text).length <= limit) expect(line).to.equal(cleanLine(text));
      }),
    );
  });
});

describe('shortText', () => {
  it('keeps the lines of what it keeps', () => {
    expect(shortText('a\r\nb', 9)).to.equal('a\nb');
    expect(shortText('a\nb\n'.repeat(500_000), 4)).to.equal('a\nb…');
  });
});
