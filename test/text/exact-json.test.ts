import { expect } from 'chai';
import * as fc from 'fast-check';
import { Liquid } from 'liquidjs';
import { exactJson, isContainer, isJsonObject, objectOf } from '../../src/text/json.ts';
import { parseExactly, plainNumber, SpeltNumber } from '../../src/text/json.ts';

const SPELT = '1.10 1.0 -0 0.0 1e5 1E+2 1e400 1E-400 12345678901234567890 -9007199254740993'.split(' ');
const PLAIN = '0 -1 1.1 -0.5 9007199254740991 9007199254740992 0.30000000000000004'.split(' ');

describe('a number that JavaScript would spell otherwise', () => {
  it('is written as it came, in lists, objects and alone, and an object only where it has to be', () => {
    for (const number of [...SPELT, ...PLAIN]) {
      const json = `{"a":[1,${number}],"b":{"c":${number}}}`;
      expect(exactJson(parseExactly(json)), number).to.equal(json);
      expect(exactJson(parseExactly(number)), number).to.equal(number);
      expect(String(parseExactly(number)), number).to.equal(number);
      expect(parseExactly(number) instanceof SpeltNumber, number).to.equal(SPELT.includes(number));
    }
  });

  it('is neither a list nor an object, and a number in arithmetic', () => {
    const number = new SpeltNumber('1.10');
    expect([isContainer(number), isJsonObject(number), isJsonObject([])]).not.to.include(true);
    expect([plainNumber(number), plainNumber('1.10'), Number(number) + 1]).to.deep.equal([1.1, '1.10', 2.1]);
  });

  it('compares in Liquid as its number does', () => {
    const values = { n: new SpeltNumber('1.0'), same: new SpeltNumber('1.00') };
    const shown = (text: string): unknown => new Liquid().parseAndRenderSync(text, values);
    const holds = (condition: string) => shown(`{% if ${condition} %}yes{% endif %}`) === 'yes';
    const met = ['n == 1', '1 == n', 'n == same', 'n < 2', 'n >= 1', '0 < n', 'n <= same', 'n > 0'];
    expect(met.filter((condition) => !holds(condition))).to.deep.equal([]);
    const unmet = ['n == 2', "n == '1'", 'n != 1', 'n > 1', 'n < same', 'n >= 2', 'n <= 0'];
    expect(unmet.filter(holds)).to.deep.equal([]);
    expect(shown('{% case n %}{% when 1 %}{{ n }}{% endcase %}')).to.equal('1.0');
  });
});

describe('keys', () => {
  it('stay in their order, whole numbers too, wherever they are listed; the last value of one that comes twice counts', () => {
    const json = '{"合計":"599","2":{"10":1,"a":2,"9":3},"1":"x"}';
    const value = parseExactly(json) as Record<string, object>;
    expect(Object.keys(value)).to.deep.equal(['合計', '2', '1']);
    expect(Object.keys(value['2'] ?? {})).to.deep.equal(['10', 'a', '9']);
    expect(JSON.stringify(value)).to.equal(json);
    expect(exactJson(value)).to.equal(json);
    expect(exactJson(parseExactly('{ "b" : 1.0 , "a" : [ ] }'))).to.equal('{"b":1.0,"a":[]}');
    expect(exactJson(parseExactly('{"b":1,"1":2,"b":3.0}'))).to.equal('{"b":3.0,"1":2}');
  });

  it('such as __proto__ are keys like any other', () => {
    const json = '{"__proto__":{"n":1.0},"1":1}';
    expect(exactJson(parseExactly(json))).to.equal(json);
    expect(Object.getPrototypeOf(objectOf([['__proto__', 1]]))).to.equal(Object.prototype);
  });
});

describe('parseExactly', () => {
  it('reads strings of megabytes, whatever is escaped in them', () => {
    for (const unit of ['\\n', '\\"', '\\\\', 'x', '\\u00e9']) {
      const json = `{"message":"${unit.repeat(1_000_000)}","id":1.0}`;
      const { message } = JSON.parse(json) as { message: string };
      expect(parseExactly(json)).to.have.property('message', message);
    }
  });

  it('leaves what only looks like a number, in a string or a key', () => {
    const json = '{"a: 1.0":"\\\\\\" ,1.0","b":["1e400, 1.0",1,true,null,{},[]]}';
    expect(parseExactly(json)).to.deep.equal(JSON.parse(json));
  });

  it('reads all else as JSON.parse does, with blanks wherever there may be some', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t', '\n\r '), (value, space) => {
        const json = JSON.stringify(value, null, space);
        const exact = parseExactly(`${space}${json}${space}`);
        expect(JSON.stringify(exact)).to.equal(JSON.stringify(JSON.parse(json)));
      }),
    );
  });
});

describe('exactJson', () => {
  it('writes as JSON.stringify does, indented too, whether or not a number is spelt, and nothing of what is undefined', () => {
    const value = { a: undefined, list: [undefined], n: new SpeltNumber('1.0') };
    expect(exactJson(value)).to.equal('{"list":[null],"n":1.0}');
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', '  '), (value, space) => {
        expect(exactJson(value, space)).to.equal(JSON.stringify(value, null, space));
        const written = JSON.stringify([value, 'ONE'], null, space).replace(/"ONE"(?=\s*]$)/, '1.0');
        expect(exactJson([value, new SpeltNumber('1.0')], space)).to.equal(written);
      }),
    );
  });
});
