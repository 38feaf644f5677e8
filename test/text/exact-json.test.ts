/** Numbers are shown as they were spelt, and keys in the order in which they came, whatever JavaScript makes of them. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { Liquid } from 'liquidjs';
import { exactJson, objectOf, parseExactly } from '../../src/text/exact-json.ts';
import { plainNumber, SpeltNumber } from '../../src/text/spelt-number.ts';
import { isContainer, isJsonObject } from '../../src/text/json-object.ts';

const SPELT = [
  '1.10',
  '1.0',
  '-0',
  '0.0',
  '1e5',
  '1E+2',
  '1e400',
  '1E-400',
  '12345678901234567890',
  '-9007199254740993',
  '0.12345678901234567890',
];
const PLAIN = ['0', '-1', '1.1', '-0.5', '9007199254740991', '9007199254740992', '0.30000000000000004'];

describe('a number that JavaScript would spell otherwise', () => {
  it('is written as it came, in lists, objects and alone', () => {
    for (const number of [...SPELT, ...PLAIN]) {
      const json = `{"a":[1,${number}],"b":{"c":${number}}}`;
      expect(exactJson(parseExactly(json)), number).to.equal(json);
      expect(exactJson(parseExactly(number)), number).to.equal(number);
      expect(String(parseExactly(number)), number).to.equal(number);
    }
  });

  it('is an object of its own only where it has to be', () => {
    for (const number of PLAIN) expect(parseExactly(number)).to.equal(Number(number));
    for (const number of SPELT) expect(parseExactly(number)).to.be.instanceOf(SpeltNumber);
  });

  it('is neither a list nor an object, and a number in arithmetic', () => {
    const number = new SpeltNumber('1.10');
    expect([isContainer(number), isJsonObject(number)]).to.deep.equal([false, false]);
    expect([plainNumber(number), plainNumber('1.10'), Number(number) + 1]).to.deep.equal([1.1, '1.10', 2.1]);
  });

  it('compares in Liquid as its number does', () => {
    const liquid = new Liquid();
    const shown = (condition: string): unknown =>
      liquid.parseAndRenderSync(`{% if ${condition} %}yes{% endif %}`, {
        n: new SpeltNumber('1.0'),
        same: new SpeltNumber('1.00'),
      });
    for (const condition of [
      'n == 1',
      '1 == n',
      'n == same',
      'n < 2',
      'n >= 1',
      '0 < n',
      'n <= same',
      'n > 0',
    ])
      expect(shown(condition), condition).to.equal('yes');
    for (const condition of ['n == 2', "n == '1'", 'n != 1', 'n > 1', 'n < same'])
      expect(shown(condition), condition).to.equal('');
    expect(
      liquid.parseAndRenderSync('{% case n %}{% when 1 %}{{ n }}{% endcase %}', {
        n: new SpeltNumber('1.0'),
      }),
    ).to.equal('1.0');
  });
});

describe('keys', () => {
  it('stay in their order, whole numbers too, wherever they are listed', () => {
    const json = '{"合計":"599","2":{"10":1,"a":2,"9":3},"1":"x"}';
    const value = parseExactly(json) as Record<string, object>;
    expect(Object.keys(value)).to.deep.equal(['合計', '2', '1']);
    expect(Object.keys(value['2'] ?? {})).to.deep.equal(['10', 'a', '9']);
    expect(JSON.stringify(value)).to.equal(json);
    expect(exactJson(value)).to.equal(json);
  });

  it('that come twice stand where they came first, with their last value', () => {
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
        expect(JSON.stringify(parseExactly(`${space}${json}${space}`))).to.equal(
          JSON.stringify(JSON.parse(json)),
        );
      }),
    );
  });
});

describe('exactJson', () => {
  it('writes as JSON.stringify does, indented too, whether or not a number is spelt', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', '  '), (value, space) => {
        expect(exactJson(value, space)).to.equal(JSON.stringify(value, null, space));
        const both = [value, new SpeltNumber('1.0')];
        expect(exactJson(both, space)).to.equal(
          JSON.stringify([value, 'ONE'], null, space).replace(/"ONE"(?=\s*]$)/, '1.0'),
        );
      }),
    );
  });

  it('leaves out what is undefined, as JSON.stringify does', () => {
    const value = { a: undefined, list: [undefined], n: new SpeltNumber('1.0') };
    expect(exactJson(value)).to.equal('{"list":[null],"n":1.0}');
  });
});
