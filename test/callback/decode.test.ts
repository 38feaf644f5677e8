import { expect } from 'chai';
import * as fc from 'fast-check';
import { decodeBody, UndecodableBody } from '../../src/callback/decode.ts';
import { InvalidCallback, TooManyValues } from '../../src/callback/callback.ts';

function decode(text: string): unknown {
  return decodeBody(Buffer.from(text)).value;
}

describe('decodeBody', () => {
  it('reads JSON in UTF-8: lone surrogates written as escapes, brackets in strings, which are no nesting', () => {
    const brackets = { message: '[\\"{'.repeat(150_000) };
    for (const value of [{ 名前: '商品取得BOT 🚀' }, '\ud83d', brackets])
      expect(decode(JSON.stringify(value))).to.deep.equal(value);
    expect(decode('"\\ud83d"')).to.equal('\ud83d');
  });

  it('reads every text of Unicode', () => {
    const unit = fc.constantFrom('a', 'é', '商', '\ufeff', '\u2028', '🚀', '\u{10ffff}', '\0', '"');
    const text = fc.string({ unit });
    fc.assert(fc.property(text, (each) => void expect(decode(JSON.stringify([each]))).to.deep.equal([each])));
  });

  it('keeps the JSON to the byte, without a byte order mark, which is no part of it', () => {
    for (const json of [' { "a" : 1.0,\t"a":"é\\u00e9" }\n', '{"a":"\ufeffä"}'])
      for (const mark of ['', '\ufeff'])
        expect(Buffer.from(decodeBody(Buffer.from(mark + json)).json).toString()).to.equal(json);
  });

  it('refuses bytes that are not UTF-8', () => {
    const shiftJis = Uint8Array.of(0x22, 0x8f, 0xa4, 0x95, 0x69, 0x22);
    const utf16 = Buffer.from('\ufeff{}', 'utf16le');
    const surrogate = Uint8Array.of(0x22, 0xed, 0xa0, 0xbd, 0x22);
    const overlong = Uint8Array.of(0x22, 0xc0, 0xaf, 0x22);
    for (const bytes of [shiftJis, utf16, surrogate, overlong]) {
      expect(() => decodeBody(bytes)).to.throw(UndecodableBody, 'not UTF-8');
    }
  });

  it('says what is wrong with JSON, and where', () => {
    for (const [text, reason] of [
      ['', 'empty'],
      [' \n', 'empty'],
      ['\ufeff', 'empty'],
      ['{"a":1,}', 'at position 7'],
      ['{"a":1}x', 'at position 7'],
      ['{"a":"x', 'Unterminated string in JSON at position 7'],
      ['{"a":', 'Unexpected end of JSON input'],
    ] as const)
      expect(() => decode(text), text).to.throw(UndecodableBody, reason);
  });

  it('shows next to nothing of a body that is not JSON, and that clean', () => {
    const long = [`[${'x'.repeat(100_000)}`, 'y'.repeat(35)];
    const said = /^The body is not JSON: [^\p{Cc}\u202e\u2028]{1,100}\.$/u;
    for (const body of [...long, '\u202e\u0007<script>', '"\u0000"', 'nul\u2028l'])
      expect(() => decode(body)).to.throw(UndecodableBody, said);
  });

  it('refuses more values than are allowed, and megabytes of nothing but nesting, before it parses them', () => {
    const nesting = Buffer.from('['.repeat(1_000_000));
    expect(() => decodeBody(nesting)).to.throw(InvalidCallback, 'nested deeper than 64 levels');
    const json = `[${'{},'.repeat(99)}{}x`;
    expect(() => decodeBody(Buffer.from(json), 100)).to.throw(TooManyValues);
    expect(() => decodeBody(Buffer.from(json), 102)).to.throw(UndecodableBody);
    expect(decodeBody(Buffer.from('{"a":[1,2]}'), 4).value).to.deep.equal({ a: [1, 2] });
    expect(() => decodeBody(Buffer.from('{"a":[1,2]}'), 3)).to.throw(TooManyValues);
  });
});
