/** JSON text is looked through however long its strings are. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  decodeBody,
  parseExactly,
  tokensOutsideStrings,
  textNestsDeeperThan,
} from '../../src/callback/decode.ts';

const MEGABYTES = 8 * 1024 * 1024;

function foundIn(text: string, pattern: RegExp): string[] {
  return Array.from(tokensOutsideStrings(text, pattern), ([token]) => token);
}

describe('tokensOutsideStrings', () => {
  it('finds tokens outside of strings, whatever these hold', () => {
    expect(foundIn('{"1":"2\\"3","\\\\":4,"\\\\\\"5":[6]}', /\d/)).to.deep.equal(['4', '6']);
  });

  it('ends with a string that does not end', () => {
    expect(foundIn('1 "2', /\d/)).to.deep.equal(['1']);
    expect(foundIn('1 "2\\"', /\d/)).to.deep.equal(['1']);
  });

  it('finds as many brackets as a value has containers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const containers = (each: unknown): number =>
          typeof each === 'object' && each !== null
            ? Object.values(each).reduce((sum: number, member) => sum + containers(member), 1)
            : 0;
        expect(foundIn(JSON.stringify(value), /[[{]/)).to.have.length(containers(value));
      }),
    );
  });

  for (const unit of ['\\n', '\\"', '\\\\', 'x']) {
    it(`takes a string of eight megabytes of ${unit}`, () => {
      const body = `{"message":"${unit.repeat((MEGABYTES - 100) / unit.length)}","id":12345678901234567890}`;
      expect(textNestsDeeperThan(body, 1)).to.equal(false);
      expect(parseExactly(body)).to.include({ id: '12345678901234567890' });
      expect(decodeBody(Buffer.from(body)).value).to.include({ id: '12345678901234567890' });
    });
  }
});
