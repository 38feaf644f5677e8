import { expect } from 'chai';
import * as fc from 'fast-check';
import { checkCallback, elapsedSecondsOf, statusNameOf } from '../../src/callback/callback.ts';
import { type CallbackError, InvalidCallback } from '../../src/callback/callback.ts';
import { decodeBody, readCallback } from '../../src/callback/decode.ts';
import { faultIn } from '../../src/callback/fault-words.ts';
import { fixture, FIXTURE_NAMES } from '../support/callbacks.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const START = '2026-01-01T00:00:00Z';
const MINIMAL = { code: 200, job_id: 'm-1', bot_id: 'b', bot_name: 'b', status: 0, start_time: START };

const check = (value: unknown, isDeep = false) => checkCallback(value, 'Asia/Tokyo', isDeep);

function errorsOf(value: unknown, isDeep = false): readonly CallbackError[] {
  try {
    check(value, isDeep);
  } catch (error) {
    if (error instanceof InvalidCallback) return error.errors;
    throw error;
  }
  return [];
}

/** The body with `MINIMAL`'s fields and these, given as JSON. */
function bodyWith(fields: Readonly<Record<string, string>>): Uint8Array {
  const members = Object.entries(MINIMAL).map(([key, each]) => [key, JSON.stringify(each)]);
  const given = Object.entries({ ...Object.fromEntries(members), ...fields } as Record<string, string>);
  return Buffer.from(`{${given.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`);
}

/** The faults of `bodyWith`. */
function errorsWith(fields: Readonly<Record<string, string>>): readonly CallbackError[] {
  const { value, isDeep } = decodeBody(bodyWith(fields));
  return errorsOf(value, isDeep);
}

function pointers(errors: readonly CallbackError[]): string[] {
  return errors.map(({ pointer }) => pointer);
}

function nested(levels: number, between = ''): string {
  return `{"a":${between}`.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
}

describe('The check of a callback', () => {
  for (const name of FIXTURE_NAMES) {
    it(`takes ${name} and returns the very value`, () => {
      const { value } = decodeBody(Buffer.from(fixture(name)));
      expect(check(value).callback).to.equal(value);
    });
  }

  it('says all that is missing at once, by JSON pointer', () => {
    const required = ['/code', '/job_id', '/bot_id', '/bot_name', '/status', '/start_time'];
    expect(pointers(errorsOf({}))).to.deep.equal(required);
    const detail = 'is missing: it must be a string';
    expect(errorsOf({ ...MINIMAL, job_id: undefined })).to.deep.equal([{ pointer: '/job_id', detail }]);
    for (const value of [null, [], 'x', 1, true]) expect(pointers(errorsOf(value))).to.deep.equal(['']);
  });

  it('says all that is wrong at once, what was expected and what was found, in its message, too', () => {
    const ids = { job_id: 5, bot_id: null, bot_name: ['x'] };
    const optional = { elapsed_time: false, output: [], message: { a: 1 } };
    const wrong = { code: '201', ...ids, status: 3, start_time: ' 2026-11-20T09:00\u00a0Z', ...optional };
    const said = errorsOf(wrong).map(({ pointer, detail }) => `${pointer} ${detail}`);
    expect(said).to.deep.equal([
      '/code must be an integer, found the string "201"',
      '/job_id must be a string, found the number 5',
      '/bot_id must be a string, found null',
      '/bot_name must be a string, found an array',
      '/status must be the integer 0 (succeeded), 1 (error) or 2 (executing), found the number 3',
      '/start_time must be an ISO 8601 date-time that exists, such as 2026-11-20T09:00:00+09:00, found the string "\\u00202026-11-20T09:00\\u00a0Z"',
      '/elapsed_time must be a number, found false',
      '/output must be an object, found an array',
      '/message must be a string, found an object',
    ]);
    expect(() => check(wrong)).to.throw(InvalidCallback, said.join('; '));
    const [error] = errorsWith({ job_id: '12345678901234567890' });
    expect(error?.detail, 'to the digit').to.equal('must be a string, found the number 12345678901234567890');
  });

  /** As JSON, each to the digit: JavaScript rounds some of these numbers to others. */
  const number = '1 1.10 12345678901234567890 1e400';
  const fields: Readonly<Record<string, readonly [taken: string, refused: string]>> = {
    code: [
      `12345678901234567890 -9007199254740993 1152921504606846976 200.0 2e2 -0 ${'9'.repeat(400)}`,
      '"1" true 1.5 {} [5] null 1.00000000000000000001 1e-400 1e400 1.10',
    ],
    status: ['0 1 2 1.0 2e0 -0', '-1 3 0.5 "0" true null [] 1.00000000000000000001 1e400 -1.0 3.0'],
    ...Object.fromEntries(['job_id', 'bot_id', 'bot_name'].map((name) => [name, ['""', `${number} null`]])),
    start_time: ['"2016-12-31T23:59:60Z"', '1 1.10 1e400 null ""'],
    message: ['"" null', number],
    elapsed_time: ['1e400 93.50 -5 12345678901234567890 null', '"93"'],
    output: ['{} null', '1.10 [] "x"'],
  };
  for (const [name, [taken, refused]] of Object.entries(fields))
    it(`takes for ${name} what the interface says, with one error for anything else`, () => {
      for (const json of taken.split(' ')) expect(errorsWith({ [name]: json }), json).to.deep.equal([]);
      for (const json of refused.split(' '))
        expect(pointers(errorsWith({ [name]: json })), json).to.deep.equal([`/${name}`]);
    });

  const taken = (fields: Readonly<Record<string, string>>) =>
    check(decodeBody(bodyWith(fields)).value).callback;

  it('takes a status such as 1.0 for the number that it is', () => {
    const statuses = ['1.0', '2e0', '-0'].map((status) => taken({ status }));
    expect(statuses.map(({ status }) => status + 0)).to.deep.equal([1, 2, 0]);
    expect(statuses.map(statusNameOf)).to.deep.equal(['error', 'executing', 'succeeded']);
  });

  it('knows how long a run took, unless what is said is no duration', () => {
    const seconds = ['0', '93.50', '-1', '1e400', 'null'].map((elapsed_time) =>
      elapsedSecondsOf(taken({ elapsed_time })),
    );
    expect(seconds).to.deep.equal([0, 93.5, undefined, undefined, undefined]);
  });

  it('keeps unknown fields, whatever their names, and takes no inherited property for a field', () => {
    const json = JSON.stringify(MINIMAL);
    const named = `{"__proto__":{"x":1},"constructor":1,"toString":2,"hasOwnProperty":null,${json.slice(1)}`;
    const value: unknown = JSON.parse(named);
    expect(check(value).callback).to.equal(value);
    expect(errorsOf(JSON.parse(`{"__proto__":${json}}`))).to.have.length(6);
  });

  it('reads a start time without an offset in its timezone, and a leap second as the second after it', () => {
    for (const start_time of ['2016-12-31T19:00:00', '2016-12-31T18:59:60', '20161231T235960Z']) {
      const { startedAt } = checkCallback({ ...MINIMAL, start_time }, 'America/New_York');
      expect(startedAt, start_time).to.equal(Date.parse('2017-01-01T00:00:00Z'));
    }
  });

  it('refuses more than 64 levels by the field that is too deep, fifty at most, beside what else is wrong', () => {
    const replaced = Buffer.from(`{"output":${nested(64)},`);
    const twice = Buffer.concat([replaced, bodyWith({ output: '{}' }).subarray(1)]);
    for (const body of [bodyWith({ output: nested(63) }), twice])
      expect(() => readCallback(body, 'UTC')).not.to.throw();
    const detail = 'is nested deeper than 64 levels';
    const two = errorsWith({ output: nested(64, ' \n'), 'a/b~': `[[],${nested(900)}]`, x: '[[]]' });
    expect(two).to.deep.equal([
      { pointer: '/a~1b~0', detail },
      { pointer: '/output', detail },
    ]);
    const more = errorsWith({ status: '7', message: nested(900) });
    expect(pointers(more)).to.deep.equal(['/message', '/status', '/message']);
    const deep = Array.from({ length: 1000 }, (_, number) => [`x${number}`, nested(64)]);
    expect(errorsWith(Object.fromEntries(deep) as Record<string, string>)).to.have.length(50);
  });

  it('never echoes more than the beginning of a value, and that clean', () => {
    const long = '\u202e<b>\u0000x'.repeat(200_000);
    const errors = errorsOf({ code: long, status: long, start_time: long, output: long, [long]: 1 });
    for (const error of errors.concat(errorsWith({ [long]: nested(65) }))) {
      expect(error.pointer.length + error.detail.length).to.be.at.most(200);
      expect(error.pointer + error.detail).not.to.match(/[\p{Cc}\u202e]/u);
    }
    expect(errors[0]?.detail).to.match(/^must be an integer, found the string "\\u202e<b>.*…"$/);
  });

  it('returns the very value or says what is wrong with it, whatever the JSON', () => {
    const value = fc.oneof(fc.constantFrom(0, 1, -0, 1.5, NaN, '', null, undefined, [], {}), fc.jsonValue());
    const optional = ['elapsed_time', 'output', 'message', 'extra'];
    const field = fc.tuple(fc.constantFrom(...Object.keys(MINIMAL), ...optional), value);
    fc.assert(
      fc.property(value, fc.array(field, { maxLength: 3 }), (json, fields) => {
        for (const callback of [json, { ...MINIMAL, ...Object.fromEntries(fields) }]) {
          const errors = errorsOf(callback);
          if (errors.length === 0) expect(check(callback).callback).to.equal(callback);
          for (const { pointer, detail } of errors) {
            expect(pointer).to.match(/^(?:\/[a-z_]+)?$/);
            expect(detail.length).to.be.at.most(200);
          }
        }
      }),
    );
  });
});

describe('The faults of a callback in Japanese', () => {
  const ENGLISH_WORDS = /\b(must|found|missing|string|integer|number|object|body|deeper|date-time)\b/;

  it('have no English words, whatever is wrong', async () => {
    const wrong = { code: '"1"', job_id: '7', bot_id: '[]', status: '5', start_time: '"soon"', output: '3' };
    const errors = errorsWith({ ...wrong, bot_name: 'null', elapsed_time: '"x"', deep: nested(100) });
    expect(errors).to.have.length(9);
    const faults = errors.concat(errorsOf({})).map(({ detail }) => detail);
    for (const body of ['['.repeat(5000), '', '\xff']) {
      const { message } = await rejectionOf(
        Promise.resolve().then(() => readCallback(Buffer.from(body, 'latin1'), 'UTC')),
      );
      faults.push(message.replace('Not a callback: ', ''));
    }
    for (const fault of faults)
      expect(faultIn(fault, 'ja'))
        .to.match(/\p{Script=Hiragana}/u)
        .and.not.to.match(ENGLISH_WORDS);
    for (const [language, expected] of [
      ['en', 'must be a string, found null'],
      ['ja', '文字列が必要ですが、null です'],
    ] as const)
      expect(faultIn('must be a string, found null', language)).to.equal(expected);
  });
});
