import { expect } from 'chai';
import * as fc from 'fast-check';
import { piecesOf } from '../../src/text/addresses.ts';
import { hostileText } from './hostile-text.ts';
import { sized } from '../support/test-size.ts';

function marked(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.url === '' ? piece.text : `⟦${piece.text}⟧`))
    .join('');
}

describe('piecesOf', () => {
  for (const [where, expected] of [
    ['alone', '⟦https://a.test/2026_(final)?id=7&v=1⟧'],
    ['in prose', 'ready: ⟦https://a.test/2026_(final)?id=7&v=1⟧ (valid until Friday)'],
    ['at the end of a sentence', '⟦http://localhost:80/a⟧. Or ⟦https://a.test⟧, or ⟦https://a.test/?q⟧!'],
    ['in brackets', '(⟦https://a.test/b⟧) [⟦https://a.test/b⟧] <⟦https://a.test/b⟧> {⟦https://a.test/b⟧}'],
    ['with brackets of its own', '(see ⟦https://a.test/b_(c)⟧) ⟦https://[::1]:80/x[0]⟧'],
    ['in quotes and code', '"⟦https://a.test/b⟧" \'⟦https://a.test⟧\' `⟦https://a.test⟧` “⟦https://a.test⟧”'],
    ['in HTML and JSON', '<a href="⟦https://a.test/b⟧">b</a> {"u":"⟦https://a.test⟧"} ⟦https://a.test/b⟧\\n'],
    ['in a list', '⟦https://a.test/b⟧,⟦https://a.test/c⟧;⟦https://a.test/d⟧ a|⟦https://a.test/b⟧|c'],
    [
      'in Japanese prose',
      '詳細は⟦https://a.test/b⟧を参照。「⟦https://a.test⟧」、（⟦https://a.test⟧）⟦https://a.test⟧。',
    ],
    ['in Japanese', '⟦https://例え.jp/共有/請求書の一覧_2026年.pdf⟧、⟦https://a.test/?q=東京⟧　次'],
    ['with a middle dot in a name', '⟦https://a.test/経理・オート⟧・⟦https://a.test/東京⟧・「次」'],
    [
      'before kanji and katakana',
      '詳細は⟦https://a.test/jobs/1⟧参照。⟦https://a.test/b⟧ページを開く。⟦https://a.test/2026年.pdf⟧ ⟦https://a.test/v2資料/1⟧',
    ],
    ['in capitals', '⟦HTTPS://A.TEST/B⟧'],
    ['of other schemes', 'git+https://a.test xhttps://a.test ftp://a.test javascript://a file:///a'],
    ['that climbs', 'https://a.test/b/../c https://a.test/%2e%2e/c ⟦https://a.test/b?next=/../c#/../d⟧'],
    ['with a user', 'https://a.test@b.test/ https://a:b@c.test/'],
    ['with a host that is another one once it opens', 'https://ａ.test https://0x7f.1/ https://2130706433/'],
    [
      'that opens, of 4,000 characters at most',
      `⟦https://a.test/${'x'.repeat(3985)}⟧ https://a.test/${'x'.repeat(3986)} https://a.test/${'京'.repeat(500)}`,
    ],
    ['that is none', 'https:// https://. http://?a b:c https://a.test:99999/'],
  ] as const) {
    it(`finds an address ${where}`, () => {
      expect(marked(expected.replace(/[⟦⟧]/g, ''))).to.equal(expected);
    });
  }

  it('gives the normal form of an address', () => {
    const urls = piecesOf("HTTPS://a.test and https://例え.jp/東京?a='b'c").map(({ url }) => url);
    const shown = 'https://xn--r8jz45g.jp/%E6%9D%B1%E4%BA%AC?a=%27b%27c';
    expect(urls).to.deep.equal(['https://a.test/', '', shown]);
  });

  it('keeps all of the text, whatever it is', () => {
    const piece = fc.oneof(hostileText(), fc.constantFrom('https://', 'a.test', '/b', ')', '。'));
    const isKept = (parts: readonly string[]) => {
      const texts = piecesOf(parts.join('')).map((found) => found.text);
      expect(texts.join('')).to.equal(parts.join(''));
    };
    fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), isKept), { numRuns: sized(300, 2000) });
  });

  it('reads a hostile megabyte in one pass', () => {
    const addresses = ['https://', 'https://a.test/', 'https://a)))))))', ',https://', 'https://a.test/('];
    for (const unit of [...addresses, ')', '.', 'あ']) {
      const text = `https://a.test/${unit.repeat(1_000_000 / unit.length)}`;
      expect(marked(text).replaceAll(/[⟦⟧]/g, '')).to.equal(text);
    }
  });
});
