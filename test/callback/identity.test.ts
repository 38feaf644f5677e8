/** Retries of one callback are the same callback; anything else is another. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Callback, identityOf } from '../../src/callback/callback.ts';
import { parseJson } from '../../src/callback/decode.ts';

const FIXTURES = new URL('../fixtures/callbacks/', import.meta.url);

function parse(json: string): Callback {
  return JSON.parse(json) as Callback;
}

function fixture(name: string): Callback {
  return parse(readFileSync(new URL(name, FIXTURES), 'utf8'));
}

function identity(fields: Record<string, unknown>): string {
  return identityOf({ ...fixture('minimal.json'), ...fields });
}

/** The same value with every object's keys in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, field]) => [key, reversed(field)]));
}

describe('identityOf', () => {
  it('is the same whatever the order of keys, for null and absent alike, and however long the BOT has run', () => {
    for (const name of readdirSync(FIXTURES)) {
      const callback = fixture(name);
      const again = { ...(reversed(callback) as Callback), elapsed_time: 7, absent: null };
      expect(identityOf(again), name).to.equal(identityOf(callback));
    }
  });

  it('is 64 hexadecimal digits, different for every fixture', () => {
    const identities = readdirSync(FIXTURES).map((name) => identityOf(fixture(name)));
    for (const id of identities) expect(id).to.match(/^[0-9a-f]{64}$/);
    expect(new Set(identities).size).to.equal(identities.length);
  });

  it('does not depend on elapsed_time at the top, but on one inside the output', () => {
    expect(identity({ elapsed_time: 5 })).to.equal(identity({ elapsed_time: 6 }));
    expect(identity({ elapsed_time: null })).to.equal(identity({}));
    expect(identity({ output: { elapsed_time: 5 } })).not.to.equal(identity({ output: { elapsed_time: 6 } }));
  });

  it('takes null for absent in objects at every depth, but not in arrays', () => {
    expect(identity({ message: null, output: { a: { b: null } } })).to.equal(identity({ output: { a: {} } }));
    expect(identity({ output: { a: [{ b: null }] } })).to.equal(identity({ output: { a: [{}] } }));
    expect(identity({ output: { a: [null] } })).not.to.equal(identity({ output: { a: [] } }));
    expect(identity({ output: {} })).not.to.equal(identity({ output: null }));
  });

  it('does not depend on fields that the interface does not name, which may count the attempts', () => {
    for (const extra of [{ delivery: { attempt: 2, sent_at: 'now' } }, { extra: 1 }, { toString: [] }])
      expect(identity(extra)).to.equal(identity({}));
  });

  it('depends on every other field of the interface', () => {
    const changes = [
      { code: 1 },
      { job_id: 'x' },
      { status: 1 },
      { message: '' },
      { message: 'null' },
      { bot_id: 'x' },
      { bot_name: 'x' },
      { start_time: '2026-11-20T09:00:00.0+09:00' },
      { output: { extra: 1 } },
      { output: { extra: '1' } },
      { output: { extra: true } },
    ];
    const identities = [{}, ...changes].map(identity);
    expect(new Set(identities).size).to.equal(identities.length);
  });

  it('tells nested shapes apart that read alike when run together', () => {
    const outputs = [
      { a: { b: 1 } },
      { a: 'b:1' },
      { 'a":{"b': 1 },
      { a: ['1'] },
      { a: [1] },
      { a: 1 },
      { a: [[1]] },
    ];
    expect(new Set(outputs.map((output) => identity({ output }))).size).to.equal(outputs.length);
  });

  it('tells numbers apart that differ in any digit, and from texts', () => {
    const numbers = [
      '1.1',
      '1.10',
      '"1.10"',
      '12345678901234567890',
      '12345678901234567891',
      '"12345678901234567890"',
    ];
    for (const where of [
      (number: string) => `{"output":{"a":${number}}}`,
      (number: string) => `{"output":{"a":[${number}]}}`,
    ])
      expect(
        new Set(numbers.map((number) => identityOf(parseJson(Buffer.from(where(number))).value as Callback)))
          .size,
      ).to.equal(numbers.length);
  });

  it('does not depend on the order of keys that are whole numbers', () => {
    const identityOfJson = (json: string) => identityOf(parseJson(Buffer.from(json)).value as Callback);
    expect(identityOfJson('{"output":{"2":"a","b":"c","1":"d"}}')).to.equal(
      identityOfJson('{"output":{"b":"c","1":"d","2":"a"}}'),
    );
  });

  it('is safe with keys such as __proto__ and with lone surrogates', () => {
    const plain = identityOf(parse('{"output":{}}'));
    expect(identityOf(parse('{"output":{"__proto__":"x"}}'))).not.to.equal(plain);
    expect(identityOf(parse('{"output":{},"__proto__":{"message":"a"}}'))).to.equal(plain);
    expect(identity({ message: '\ud83d' })).not.to.equal(identity({ message: '\ud83e' }));
    expect(identity({ message: '\ud83d' })).not.to.equal(identity({ message: '\ufffd' }));
  });

  it('does not depend on the order of keys, whatever the JSON', () => {
    const output = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
    fc.assert(
      fc.property(output, (fields) => {
        const callback = { ...fixture('minimal.json'), output: fields };
        expect(identityOf(reversed(callback) as Callback)).to.equal(identityOf(callback));
      }),
    );
  });
});
