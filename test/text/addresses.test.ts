import { expect } from 'chai';
import fc from 'fast-check';
import { splitAddresses } from '../../src/text/clean.ts';

const found = (text: string) =>
  splitAddresses(text).flatMap((piece) => (piece.address === undefined ? [] : [piece.text]));

const SENTENCES: readonly (readonly [string, string, readonly string[]])[] = [
  ['alone', 'https://example.com/a?b=c&d=e#f', ['https://example.com/a?b=c&d=e#f']],
  ['alone, with letters of any script', 'https://example.com/日本', ['https://example.com/日本']],
  ['at the end of a sentence', 'See https://example.com/a. Then', ['https://example.com/a']],
  [
    'in brackets',
    '(https://example.com/a_(b)), [http://x.example]',
    ['https://example.com/a_(b)', 'http://x.example'],
  ],
  ['behind Japanese words', '詳細はhttps://example.com/a。', ['https://example.com/a']],
  ['in JSON', '{"url":"https://example.com/a","n":1}', ['https://example.com/a']],
  ['on lines', 'https://a.example/1\nhttps://a.example/2', ['https://a.example/1', 'https://a.example/2']],
  ['nowhere', 'example.com/a, ftp://example.com, https://', []],
  ['whose end cannot be told', 'https://example.com/aを見て https://example.com/{id}', []],
  ['that was cut', 'https://example.com/abc… https://example.com/abc\n… 12 characters left out …\ndef', []],
  ['that is part of another word', 'xhttps://example.com/', []],
  ['that is too long to open', `see https://example.com/${'a'.repeat(2000)} `, []],
  ['that climbs out of its folder', 'see https://example.com/a/../b', []],
];

describe('an address in a text', () => {
  for (const [where, text, addresses] of SENTENCES) {
    it(`is found ${where}`, () => {
      expect(found(text)).to.deep.equal(addresses);
    });
  }

  it('leads where it says, and leaves the text as it was, whatever it is', () => {
    const part = fc.constantFrom(
      'https://',
      'http://a.example',
      '/',
      '.',
      ')',
      '(',
      ' ',
      '\n',
      'あ',
      '…',
      '%',
      'a',
      '?',
      '"',
      '|',
    );
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join('')),
        (text) => {
          const pieces = splitAddresses(text);
          expect(pieces.map((piece) => piece.text).join('')).to.equal(text);
          for (const { text: shown, address } of pieces)
            if (address !== undefined) expect(new URL(shown).href.replaceAll('|', '%7C')).to.equal(address);
        },
      ),
    );
  });
});
