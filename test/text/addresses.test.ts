/** Which parts of a text are addresses that open. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { piecesOf } from '../../src/text/addresses.ts';
import { hostileText } from './hostile-text.ts';

/** The text with each address in ⟦⟧. */
function marked(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.url === '' ? piece.text : `⟦${piece.text}⟧`))
    .join('');
}

describe('piecesOf', () => {
  for (const [where, expected] of [
    ['alone', '⟦https://reports.example.com/r/2026_11_(final)?id=7&v=1⟧'],
    ['in prose', 'ready: ⟦https://reports.example.com/r/2026_11_(final)?id=7&v=1⟧ (valid until Friday)'],
    [
      'at the end of a sentence',
      'see ⟦http://localhost:8080/a⟧. Or ⟦https://a.example⟧, or ⟦https://a.example/?q⟧!',
    ],
    [
      'in brackets',
      '(⟦https://a.example/b⟧) [⟦https://a.example/b⟧] <⟦https://a.example/b⟧> {⟦https://a.example/b⟧}',
    ],
    ['with brackets of its own', '(see ⟦https://a.example/b_(c)⟧) ⟦https://[::1]:80/x[0]⟧'],
    [
      'in quotes and code',
      '"⟦https://a.example/b⟧" \'⟦https://a.example/b⟧\' `⟦https://a.example/b⟧` “⟦https://a.example/b⟧”',
    ],
    [
      'in HTML and JSON',
      '<a href="⟦https://a.example/b⟧">b</a> {"u":"⟦https://a.example/b⟧","v":1} ⟦https://a.example/b⟧\\n',
    ],
    [
      'in a list',
      '⟦https://a.example/b⟧,⟦https://a.example/c⟧;⟦https://a.example/d⟧ a|⟦https://a.example/b⟧|c',
    ],
    [
      'in Japanese prose',
      '詳細は⟦https://a.example/b⟧を参照。「⟦https://a.example/b⟧」、（⟦https://a.example/b⟧）⟦https://a.example/b⟧。',
    ],
    ['in Japanese', '⟦https://例え.jp/共有/請求書の一覧_2026年.pdf⟧、⟦https://a.example/?q=東京⟧　次'],
    ['in capitals', '⟦HTTPS://A.EXAMPLE/B⟧'],
    [
      'of other schemes',
      'git+https://a.example xhttps://a.example ftp://a.example javascript://a.example file:///a mailto:a@b.example',
    ],
    ['that climbs', 'https://a.example/b/../c https://a.example/%2e%2e/c'],
    ['with a user', 'https://a.example@b.example/ https://a:b@c.example/'],
    [
      'with a host that is another one once it opens',
      'https://ａ.example https://0x7f.1/ https://2130706433/',
    ],
    ['that is none', 'https:// https://. http://?a b:c https://a.example:99999/'],
  ] as const) {
    it(`finds an address ${where}`, () => {
      expect(marked(expected.replace(/[⟦⟧]/g, ''))).to.equal(expected);
    });
  }

  it('gives the normal form of an address', () => {
    const urls = piecesOf("HTTPS://a.example and https://例え.jp/東京?a='b'c").map(({ url }) => url);
    expect(urls).to.deep.equal([
      'https://a.example/',
      '',
      'https://xn--r8jz45g.jp/%E6%9D%B1%E4%BA%AC?a=%27b%27c',
    ]);
  });

  it('keeps all of the text, whatever it is', () => {
    const piece = fc.oneof(hostileText(), fc.constantFrom('https://', 'a.example', '/b', ')', '。'));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const texts = piecesOf(text).map((found) => found.text);
        expect(texts.join('')).to.equal(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads a hostile megabyte in one pass', () => {
    const addresses = [
      'https://',
      'https://a.example/',
      'https://a)))))))',
      ',https://',
      'https://a.example/(',
    ];
    for (const unit of [...addresses, ')', '.', 'あ']) {
      const text = `https://a.example/${unit.repeat(1_000_000 / unit.length)}`;
      expect(marked(text).replaceAll(/[⟦⟧]/g, '')).to.equal(text);
    }
  });
});
