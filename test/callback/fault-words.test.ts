/** A refused callback's faults, as they are said on a Japanese page. */
import { expect } from 'chai';
import { InvalidCallback } from '../../src/callback/callback.ts';
import { readCallback } from '../../src/callback/check-callback.ts';
import { faultInJapanese } from '../../src/callback/fault-words.ts';

const ENGLISH_WORDS = /\b(must|found|missing|string|integer|number|object|body|deeper|date-time)\b/;

function faultsOf(body: Buffer): readonly string[] {
  try {
    readCallback(body, 'Asia/Tokyo');
  } catch (error) {
    return error instanceof InvalidCallback
      ? error.errors.map(({ detail }) => detail)
      : [(error as Error).message];
  }
  throw new Error('nothing is wrong with it');
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

describe('the faults of a callback in Japanese', () => {
  it('have no English words, whatever is wrong', () => {
    const wrong = `{ "code": "200", "job_id": 7, "bot_id": [], "status": 5, "start_time": "soon", "elapsed_time": "x",
      "output": 3, "deep": ${nested(100)} }`;
    for (const body of [Buffer.from(wrong), Buffer.from(nested(5000)), Buffer.from(''), Buffer.of(0xff)])
      for (const fault of faultsOf(body)) expect(faultInJapanese(fault)).not.to.match(ENGLISH_WORDS);
    expect(faultsOf(Buffer.from(wrong))).to.have.length(9);
  });
});
