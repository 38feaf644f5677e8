/** One pass over the bytes tells how many values a body holds, how deep it nests, and whether parsing would change it. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { endOfText, survey } from '../../src/callback/decode.ts';

const surveyed = (json: string) => survey(Buffer.from(json));

function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + countOf(each), 1);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('survey', () => {
  it('counts no keys and no brackets in texts, with blanks between the brackets, too', () => {
    expect([surveyed('{"a:,[{":"\\"b,:"}').values, surveyed(' ').values]).to.deep.equal([2, 0]);
    expect(surveyed('[ [ {"a" : [ ] } ] ]').depth).to.equal(4);
    expect(surveyed('["[[[\\"[{"]').depth).to.equal(1);
    expect(surveyed('[ '.repeat(100_000)).depth).to.equal(100_000);
  });

  it('agrees with JSON.parse, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\n'), (value, space) => {
        const { values, depth } = surveyed(JSON.stringify(value, null, space));
        expect([values, depth]).to.deep.equal([countOf(value), depthOf(value)]);
      }),
    );
  });

  it('finds the end of a text of any length, however many backslashes and quotes stand in it', () => {
    const text = fc.array(fc.constantFrom('\\', '"', '\\"', '[', 'x'.repeat(30), 'あ'), { maxLength: 40 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const json = JSON.stringify([one.join(''), { [other.join('')]: 1 }, other.join('')]);
        const { values, depth } = surveyed(json);
        expect([values, depth]).to.deep.equal([5, 2]);
        expect(endOfText(Buffer.from(json), 1)).to.equal(Buffer.byteLength(JSON.stringify(one.join(''))));
      }),
    );
    for (const open of ['["x', '["\\', `["${'x'.repeat(80)}`, `["${'\\'.repeat(81)}"`])
      expect(surveyed(open).values, open).to.equal(2);
  });

  it('says that parsing would change a number’s spelling', () => {
    const spelt = '1.10 1.0 -0 -0.0 1e5 1E5 1e400 1e-400 12345678901234567890 0.1234567890123456789';
    for (const number of spelt.split(' '))
      for (const json of [`[${number}]`, `{"a": ${number} }`, number])
        expect(surveyed(json).isChangedByParsing, json).to.equal(true);
    for (const number of ['0', '-1', '1.1', '-0.5', '123456789012345', '9007199254740991', 'true', 'null'])
      expect(surveyed(`[${number}]`).isChangedByParsing, number).to.equal(false);
  });

  it('says that parsing may move a key that is a whole number, however it is escaped', () => {
    for (const key of ['1', '0', '4294967294', '\\u0031', '1\\u0030', '\\u0031\\u0030'])
      expect(surveyed(`{"a":1,"${key}" : 2}`).isChangedByParsing, key).to.equal(true);
    for (const key of ['a', 'u', '', '2026-11-26', '1.5', '-1', '１', 'a1'])
      expect(surveyed(`{"a":1,"${key}":"1"}`).isChangedByParsing, key).to.equal(false);
  });

  it('finds whatever JSON.parse would change', () => {
    const digits = fc.stringMatching(/^[019]{1,20}$/);
    const number = fc.stringMatching(/^-?(?:0|[19][019]{0,19})(?:\.50?|\.0)?(?:e1|E-1)?$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(digits, fc.constantFrom('a', 'b')), number)), (members) => {
        const json = `{${members.map(([key, value]) => `"${key}":${value}`).join(',')}}`;
        const hasChanged = JSON.stringify(JSON.parse(json)) !== json;
        const keys = members.map(([key]) => key);
        if (hasChanged && new Set(keys).size === keys.length)
          expect(surveyed(json).isChangedByParsing).to.equal(true);
      }),
    );
  });
});
