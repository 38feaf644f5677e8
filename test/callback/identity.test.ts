import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Callback, identityOf } from '../../src/callback/callback.ts';
import { parseJson } from '../../src/callback/decode.ts';
import { FIXTURE_NAMES, readFixture } from '../support/callbacks.ts';

const MINIMAL = readFixture('minimal.json');

function identity(fields: object): string {
  return identityOf({ ...MINIMAL, ...fields });
}

function identityOfJson(json: string): string {
  return identityOf(parseJson(Buffer.from(json)).value as Callback);
}

/** The same value with every object's keys in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, field]) => [key, reversed(field)]));
}

describe('the identity of a callback', () => {
  it('does not depend on the order of keys, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (output) => {
        expect(identity(reversed({ output }) as object)).to.equal(identity({ output }));
      }),
    );
  });

  const nulls = { message: null, output: { a: [{ b: null }], c: { d: null } } };
  const counting = { delivery: { attempt: 2, sent_at: 'now' } };
  const alike: Readonly<Record<string, readonly string[]>> = {
    'an elapsed_time, however long, or none': [{ elapsed_time: 5 }, { elapsed_time: null }, {}].map(identity),
    'null and absent in objects at every depth': [nulls, { output: { a: [{}], c: {} } }].map(identity),
    'fields that the interface does not name': [{}, counting, { extra: 1, toString: [] }].map(identity),
    'any order of keys that are whole numbers': [
      identityOfJson('{"output":{"2":"a","b":"c","1":"d"}}'),
      identityOfJson('{"output":{"b":"c","1":"d","2":"a"}}'),
    ],
    'a field of another object by its prototype': [
      identityOf(JSON.parse('{"output":{}}') as Callback),
      identityOf(JSON.parse('{"output":{},"__proto__":{"message":"a"}}') as Callback),
    ],
  };
  for (const [what, identities] of Object.entries(alike))
    it(`is one with ${what}`, () => expect(new Set(identities).size).to.equal(1));

  const spelt = '1.1 1.10 "1.10" 12345678901234567890 12345678901234567891 "12345678901234567890"'.split(' ');
  const [b1, c2] = [{ b: 1 }, { c: 2 }];
  const shapes = [
    ...[b1, 'b:1', ['1'], [1], 1, [[1]], { b: 'c' }, { ...b1, ...c2 }].map((a) => ({ a })),
    { 'a":{"b': 1 },
    { a: 'b', c: {} },
    { a: b1, ...c2 },
  ];
  const ids = { job_id: 'x', bot_id: 'x', bot_name: 'x' };
  const texts = { ...ids, message: '', start_time: '2026-11-20T09:00:00.0+09:00' };
  const fields = Object.entries({ code: 1, status: 1, ...texts }).map(([name, value]) => ({ [name]: value }));
  const counts = [5, 6].map((elapsed_time) => ({ elapsed_time }));
  const outputs = [{}, ...counts, { extra: '6' }, { extra: true }, { a: [null] }, { a: [] }].map(
    (output) => ({ output }),
  );
  const different: Readonly<Record<string, readonly string[]>> = {
    'each fixture': FIXTURE_NAMES.map((name) => identityOf(readFixture(name))),
    'every other field of the interface': [{}, { message: 'null' }, ...fields, ...outputs].map(identity),
    'nested shapes that read alike when run together': shapes.map((output) => identity({ output })),
    'numbers that differ in any digit, and texts': spelt.map((each) =>
      identityOfJson(`{"output":{"a":${each}}}`),
    ),
    'such numbers in a list': spelt.map((each) => identityOfJson(`{"output":{"a":[${each}]}}`)),
    'keys such as __proto__': [
      identityOf(JSON.parse('{"output":{}}') as Callback),
      identityOf(JSON.parse('{"output":{"__proto__":"x"}}') as Callback),
    ],
    'lone surrogates': ['\ud83d', '\ud83e', '\ufffd'].map((message) => identity({ message })),
  };
  for (const [what, identities] of Object.entries(different))
    it(`is another for ${what}`, () => {
      expect(new Set(identities).size).to.equal(identities.length);
      for (const id of identities) expect(id).to.match(/^[0-9a-f]{64}$/);
    });
});
