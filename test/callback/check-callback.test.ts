/** A callback is checked strictly in type and leniently in what the interface leaves open. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { checkCallback } from '../../src/callback/check-callback.ts';
import { type CallbackError, InvalidCallback } from '../../src/callback/callback.ts';
import { decodeBody } from '../../src/callback/decode.ts';

const FIXTURES = new URL('../fixtures/callbacks/', import.meta.url);
const check = (value: unknown, tooDeep?: readonly string[]) => checkCallback(value, 'Asia/Tokyo', tooDeep);

const MINIMAL = {
  code: 200,
  job_id: 'm-1',
  bot_id: 'b',
  bot_name: 'b',
  status: 0,
  start_time: '2026-01-01T00:00:00Z',
};

function errorsOf(value: unknown): readonly CallbackError[] {
  try {
    check(value);
  } catch (error) {
    if (error instanceof InvalidCallback) return error.errors;
    throw error;
  }
  return [];
}

function pointersOf(value: unknown): string[] {
  return errorsOf(value).map(({ pointer }) => pointer);
}

/** The faults of a body whose fields, given as JSON, follow those of `MINIMAL`. */
function errorsWith(fields: Record<string, string>): readonly CallbackError[] {
  const given = {
    ...Object.fromEntries(Object.entries(MINIMAL).map(([key, each]) => [key, JSON.stringify(each)])),
    ...fields,
  };
  const members = Object.entries(given).map(([key, json]) => `${JSON.stringify(key)}:${json}`);
  const { value, tooDeep } = decodeBody(Buffer.from(`{${members.join(',')}}`));
  try {
    check(value, tooDeep);
  } catch (error) {
    if (error instanceof InvalidCallback) return error.errors;
    throw error;
  }
  return [];
}

function pointersWith(fields: Record<string, string>): string[] {
  return errorsWith(fields).map(({ pointer }) => pointer);
}

function nested(levels: number, between = ''): string {
  return `{"a":${between}`.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
}

describe('The check of a callback', () => {
  for (const name of readdirSync(FIXTURES)) {
    it(`takes ${name} and returns the very value`, () => {
      const { value } = decodeBody(readFileSync(new URL(name, FIXTURES)));
      expect(check(value).callback).to.equal(value);
    });
  }

  it('says all that is missing at once, by JSON pointer', () => {
    expect(pointersOf({})).to.deep.equal([
      '/code',
      '/job_id',
      '/bot_id',
      '/bot_name',
      '/status',
      '/start_time',
    ]);
    expect(errorsOf({ ...MINIMAL, job_id: undefined })).to.deep.equal([
      { pointer: '/job_id', detail: 'is missing: it must be a string' },
    ]);
  });

  it('says all that is wrong at once, what was expected and what was found', () => {
    const wrong = {
      code: '201',
      job_id: 5,
      bot_id: null,
      bot_name: ['x'],
      status: 3,
      start_time: 'yesterday',
      elapsed_time: '1.5',
      output: [],
      message: { a: 1 },
    };
    expect(errorsOf(wrong)).to.deep.equal([
      { pointer: '/code', detail: 'must be an integer, found the string "201"' },
      { pointer: '/job_id', detail: 'must be a string, found the number 5' },
      { pointer: '/bot_id', detail: 'must be a string, found null' },
      { pointer: '/bot_name', detail: 'must be a string, found an array' },
      {
        pointer: '/status',
        detail: 'must be the integer 0 (succeeded), 1 (error) or 2 (executing), found the number 3',
      },
      {
        pointer: '/start_time',
        detail:
          'must be an ISO 8601 date-time that exists, such as 2026-11-20T09:00:00+09:00, found the string "yesterday"',
      },
      { pointer: '/elapsed_time', detail: 'must be a number, found the string "1.5"' },
      { pointer: '/output', detail: 'must be an object, found an array' },
      { pointer: '/message', detail: 'must be a string, found an object' },
    ]);
  });

  it('refuses whatever is not an object, by the empty pointer', () => {
    for (const value of [null, [], 'x', 1, true]) expect(pointersOf(value)).to.deep.equal(['']);
  });

  it('takes no string, boolean, infinite or fractional number for an integer', () => {
    for (const code of ['1', true, 1.5, Infinity, {}, [5], null]) {
      expect(pointersOf({ ...MINIMAL, code })).to.deep.equal(['/code']);
    }
    expect(pointersOf({ ...MINIMAL, code: 2 ** 60, elapsed_time: -5.5 })).to.deep.equal([]);
  });

  it('takes JSON numbers without a fraction for integers, whatever JavaScript would round', () => {
    for (const code of ['12345678901234567890', '-9007199254740993', '200.0', '2e2', '-0'])
      expect(pointersWith({ code }), code).to.deep.equal([]);
    for (const code of ['1.00000000000000000001', '0.99999999999999999999', '1e-400', '1e400', '1.10'])
      expect(pointersWith({ code }), code).to.deep.equal(['/code']);
    for (const status of ['1.00000000000000000001', '0.99999999999999999999', '1e400', '-1.0', '3.0'])
      expect(pointersWith({ status }), status).to.deep.equal(['/status']);
  });

  it('takes a status such as 1.0 for the number that it is', () => {
    const json = JSON.stringify(MINIMAL);
    for (const [status, meant] of [
      ['1.0', 1],
      ['2e0', 2],
      ['-0', 0],
    ] as const) {
      const { value } = decodeBody(Buffer.from(json.replace('"status":0', `"status":${status}`)));
      expect(check(value).callback.status + 0).to.equal(meant);
    }
  });

  it('takes no number for a text, however long', () => {
    for (const field of ['job_id', 'bot_id', 'bot_name', 'start_time', 'message'])
      for (const number of ['1', '1.10', '12345678901234567890', '1e400'])
        expect(pointersWith({ [field]: number }), field).to.deep.equal([`/${field}`]);
    expect(errorsWith({ job_id: '12345678901234567890' })[0]?.detail).to.equal(
      'must be a string, found the number 12345678901234567890',
    );
    expect(pointersWith({ output: '1.10' })).to.deep.equal(['/output']);
  });

  it('takes any number for elapsed_time, an optional detail', () => {
    for (const elapsed_time of ['1e400', '93.50', '-5', '12345678901234567890'])
      expect(pointersWith({ elapsed_time })).to.deep.equal([]);
    expect(pointersWith({ elapsed_time: '"93"' })).to.deep.equal(['/elapsed_time']);
  });

  it('takes exactly 0, 1 and 2 for a status, with one error for anything else', () => {
    for (const status of [0, 1, 2]) expect(pointersOf({ ...MINIMAL, status })).to.deep.equal([]);
    for (const status of [-1, 3, 0.5, '0', true, null, []]) {
      expect(pointersOf({ ...MINIMAL, status })).to.deep.equal(['/status']);
    }
  });

  it('takes empty strings and, in optional fields, null for absent', () => {
    const value = {
      ...MINIMAL,
      job_id: '',
      bot_id: '',
      bot_name: '',
      elapsed_time: null,
      output: null,
      message: null,
    };
    expect(check(value).callback).to.equal(value);
  });

  it('keeps unknown fields, whatever their names', () => {
    const value: unknown = JSON.parse(
      `{"__proto__":{"x":1},"constructor":1,"toString":2,"hasOwnProperty":null,${JSON.stringify(MINIMAL).slice(1)}`,
    );
    expect(check(value).callback).to.equal(value);
  });

  it('takes no inherited property for a field', () => {
    expect(pointersOf(JSON.parse(`{"__proto__":${JSON.stringify(MINIMAL)}}`))).to.have.length(6);
  });

  it('reads a start time without an offset in its timezone', () => {
    const local = { ...MINIMAL, start_time: '2016-12-31T19:00:00' };
    const { startedAt } = checkCallback(local, 'America/New_York');
    expect(startedAt).to.equal(Date.parse('2017-01-01T00:00:00Z'));
  });

  it('reads a leap second as the second after it', () => {
    const check = (value: unknown) => checkCallback(value, 'America/New_York');
    for (const start_time of ['2016-12-31T18:59:60', '2016-12-31T23:59:60Z', '20161231T235960Z'])
      expect(check({ ...MINIMAL, start_time }).startedAt).to.equal(Date.parse('2017-01-01T00:00:00Z'));
  });

  it('names no more than 50 fields that are too deep', () => {
    const deep = Object.fromEntries(Array.from({ length: 1000 }, (_, number) => [`x${number}`, nested(64)]));
    expect(pointersWith(deep)).to.have.length(50);
  });

  it('refuses more than 64 levels by the field that is too deep', () => {
    expect(pointersWith({ output: nested(63) })).to.deep.equal([]);
    expect(pointersWith({ output: nested(64, ' \n') })).to.deep.equal(['/output']);
    expect(errorsWith({ output: nested(64), 'a/b~': `[[],${nested(900)}]`, x: '[[]]' })).to.deep.equal([
      { pointer: '/a~1b~0', detail: 'is nested deeper than 64 levels' },
      { pointer: '/output', detail: 'is nested deeper than 64 levels' },
    ]);
  });

  it('says what else is wrong with what is too deep', () => {
    expect(pointersWith({ status: '7', message: nested(900) })).to.deep.equal([
      '/message',
      '/status',
      '/message',
    ]);
  });

  it('never echoes more than the beginning of a value, and that clean', () => {
    const long = '\u202e<b>\u0000x'.repeat(200_000);
    for (const error of errorsOf({
      code: long,
      status: long,
      start_time: long,
      output: long,
      [long]: 1,
    }).concat(errorsWith({ [long]: nested(65) }))) {
      expect(error.pointer.length + error.detail.length).to.be.at.most(200);
      expect(error.pointer + error.detail).not.to.match(/[\p{Cc}\u202e]/u);
    }
    expect(errorsOf({ ...MINIMAL, code: long })[0]?.detail).to.match(
      /^must be an integer, found the string "<b>x.*…"$/,
    );
  });

  it('has a message that names every error', () => {
    expect(() => check({ ...MINIMAL, code: null, status: 9 })).to.throw(
      InvalidCallback,
      /\/code .*; \/status /,
    );
  });

  it('answers or throws InvalidCallback, whatever the JSON', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(...Object.keys(MINIMAL), 'output', 'message', 'extra'),
        (json, key) => {
          for (const value of [json, { ...MINIMAL, [key]: json }]) {
            for (const { pointer, detail } of errorsOf(value)) {
              expect(pointer).to.match(/^(?:\/[a-z_]+)?$/);
              expect(detail.length).to.be.at.most(200);
            }
          }
        },
      ),
    );
  });
});
