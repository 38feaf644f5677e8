/** The quick yes and the schema are of one mind, whatever comes. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { callbackSchema } from '../../src/callback/check-callback.ts';
import { isCallback } from '../../src/callback/is-callback.ts';

const TIMEZONE = 'Asia/Tokyo';
const schema = callbackSchema(TIMEZONE);

const startTime = fc.constantFrom('2026-01-01T00:00:00Z', '20260101T0900', '2026-02-30T00:00:00Z', 'now', '');

/** What a field may hold, and what it may not. */
const anything = fc.oneof(fc.jsonValue(), fc.constant(undefined), startTime);

/** Mostly right, so that each field is now and then the only one that is wrong. */
function mostly<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: anything });
}

const value = fc.record(
  {
    code: mostly(fc.integer()),
    job_id: mostly(fc.string()),
    bot_id: mostly(fc.string()),
    bot_name: mostly(fc.string({ unit: 'grapheme' })),
    status: mostly(fc.constantFrom(0, 1, 2)),
    start_time: mostly(startTime),
    elapsed_time: mostly(fc.option(fc.nat())),
    output: mostly(fc.option(fc.dictionary(fc.string(), fc.jsonValue()))),
    message: mostly(fc.option(fc.string())),
    constructor: anything,
  },
  { requiredKeys: ['code', 'job_id', 'bot_id', 'bot_name', 'status', 'start_time'] },
);

function parsed(fields: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
}

describe('isCallback', () => {
  it('takes what the schema takes, and nothing else', () => {
    const answers = new Set<boolean>();
    const ofOneMind = fc.property(value, (fields) => {
      const callback = parsed(fields);
      const answer = isCallback(callback, TIMEZONE);
      answers.add(answer);
      expect(answer).to.equal(schema.isValidSync(callback, { strict: true }));
    });
    fc.assert(ofOneMind, { numRuns: 2000 });
    expect([...answers]).to.have.members([true, false]);
  });

  it('refuses infinite numbers, which JSON can spell', () => {
    const callback = {
      code: 1,
      job_id: '',
      bot_id: '',
      bot_name: '',
      status: 0,
      start_time: '2026-01-01T00Z',
    };
    expect(isCallback(callback, TIMEZONE)).to.equal(true);
    expect(isCallback({ ...callback, elapsed_time: JSON.parse('1e400') }, TIMEZONE)).to.equal(false);
  });
});
