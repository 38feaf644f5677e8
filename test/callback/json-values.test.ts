/** What JSON will be is told from its bytes, exactly and quickly, before any of it is parsed. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { countValues, mostValuesIn } from '../../src/callback/decode.ts';

const MEGABYTES = 2 * 1024 * 1024;

function countValuesOf(text: string) {
  return countValues(Buffer.from(text));
}

function valuesIn(value: unknown): number {
  const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.reduce((sum: number, member) => sum + valuesIn(member), 1);
}

describe('the extent of JSON', () => {
  it('counts every value, and neither keys nor what stands in texts', () => {
    const table: Readonly<Record<string, number>> = {
      '0': 1,
      '""': 1,
      '[]': 1,
      '{}': 1,
      '[0,0,0]': 4,
      '[[],{},[ ]]': 4,
      '{"a":1,"b":[true,null]}': 5,
      '{"a,b":"[1,2,3],{}","\\\\":"\\"[,"}': 3,
      '{ "a" : {\n\t} , "b" : [\r\n1 ] }': 4,
    };
    for (const [text, values] of Object.entries(table)) expect(countValuesOf(text), text).to.equal(values);
  });

  it('is that of what is parsed, whatever the JSON and its blanks', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const parsed: unknown = JSON.parse(text);
        expect(countValuesOf(text)).to.equal(valuesIn(parsed));
      }),
    );
  });

  it('is never more than so many bytes can spell', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(countValues(bytes)).to.be.at.most(mostValuesIn(bytes.length));
      }),
    );
    expect(mostValuesIn('[0,0,0]'.length)).to.equal(4);
  });

  it('is counted no further than anybody wants to know', () => {
    expect(countValues(Buffer.from('[0,0,0,0,0,0]'), 3)).to.equal(4);
    expect(countValues(Buffer.from('[0,0,0,0,0,0]'), 7)).to.equal(7);
  });

  it('comes to an end with whatever is no JSON', () => {
    for (const text of ['', '"', '"\\', '[', '{"a', ']]]}', '[ ', '[,,,', '\u0000']) {
      expect(countValuesOf(text)).to.be.at.least(1);
    }
  });

  for (const unit of ['\\n', '\\\\', 'x', '[', '[]', ',', ' ', '"",', '{"a":']) {
    it(`takes megabytes of ${unit}, as a text and as they are`, () => {
      const units = unit.repeat((MEGABYTES - 100) / unit.length);
      expect(countValuesOf(`{"message":"${units.replaceAll('"', '\\"')}"}`)).to.equal(2);
      expect(countValuesOf(units)).to.be.at.most(MEGABYTES);
    });
  }
});
