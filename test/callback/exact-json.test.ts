/** No digit of a callback is lost only because JavaScript's numbers have no room for it. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseExactly } from '../../src/callback/decode.ts';

describe('parseExactly', () => {
  it('keeps a number that JavaScript cannot hold as the text that spells it', () => {
    const spelt = ['12345678901234567890', '-9007199254740993', '0.12345678901234567890', '1e400', '1E-400'];
    for (const number of spelt) {
      expect(parseExactly(`{"output":{"a":[1,${number}],"b": ${number} }}`)).to.deep.equal({
        output: { a: [1, number], b: number },
      });
    }
  });

  it('leaves every other number as it is', () => {
    const held = [
      '0',
      '-1',
      '1.10',
      '1e5',
      '9007199254740991',
      '9007199254740992',
      '0.30000000000000004',
      '1E2',
    ];
    for (const number of held) {
      expect(parseExactly(`{"a":${number},"b":1e9}`)).to.deep.equal({ a: Number(number), b: 1e9 });
    }
  });

  it('leaves what only looks like such a number, in a string or a name', () => {
    const text = '{"a: 12345678901234567890":"\\\\\\" ,12345678901234567890","b":["1e400, 1e400",1e4]}';
    expect(parseExactly(text)).to.deep.equal(JSON.parse(text));
  });

  it('leaves the interface’s own numbers numbers', () => {
    const text = '{"code":12345678901234567890,"status":1e0,"elapsed_time":9007199254740993,"x":1e400}';
    expect(parseExactly(text)).to.deep.equal({ ...(JSON.parse(text) as object), x: '1e400' });
  });

  it('keeps names such as __proto__ as they are', () => {
    const parsed = parseExactly('{"__proto__":{"n":12345678901234567890}}');
    expect(JSON.stringify(parsed)).to.equal('{"__proto__":{"n":"12345678901234567890"}}');
  });

  it('looks through strings of megabytes', () => {
    for (const unit of ['\\n', '\\"', '\\\\', 'x']) {
      const text = `{"message":"${unit.repeat(4_000_000)}","id":12345678901234567890}`;
      expect(parseExactly(text)).to.include({ id: '12345678901234567890' });
    }
  });

  it('throws what JSON.parse throws', () => {
    for (const text of ['', '{"a":01}', '{"a":1e400', '[1e400,]', '"\\x"']) {
      expect(() => parseExactly(text), text).to.throw(SyntaxError);
    }
  });

  it('reads all else as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseExactly(text)).to.deep.equal(JSON.parse(text));
      }),
    );
  });
});
