/** A refused callback's faults, as they are said on a Japanese page. */
import { expect } from 'chai';
import { InvalidCallback } from '../../src/callback/callback.ts';
import { checkCallback } from '../../src/callback/check-callback.ts';
import { decodeBody } from '../../src/callback/decode.ts';
import { faultInJapanese } from '../../src/callback/fault-words.ts';

const ENGLISH_WORDS = /\b(must|found|missing|string|integer|number|object|body|deeper|date-time)\b/;

describe('the faults of a callback in Japanese', () => {
  it('have no English words, whatever is wrong', () => {
    const wrong = {
      code: '200',
      job_id: 7,
      bot_id: [],
      status: 5,
      start_time: 'soon',
      elapsed_time: 'x',
      output: 3,
    };
    try {
      checkCallback(wrong, 'Asia/Tokyo', ['deep']);
    } catch (error) {
      if (!(error instanceof InvalidCallback)) throw error;
      expect(error.errors.length).to.be.greaterThan(7);
      for (const { detail } of error.errors) expect(faultInJapanese(detail)).not.to.match(ENGLISH_WORDS);
    }
    for (const body of ['', '\xff'])
      try {
        decodeBody(Buffer.from(body, 'latin1'));
      } catch (error) {
        expect(faultInJapanese((error as Error).message)).not.to.match(ENGLISH_WORDS);
      }
  });
});
