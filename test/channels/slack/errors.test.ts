/** Of which class each code of the API is, docs/slack-app.md says; `test/docs/slack-app.test.ts` compares both. */
import { WebAPIPlatformError, WebAPIRequestError } from '@slack/web-api';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { failureOfAnswer } from '../../../src/channels/answers.ts';
import { FAILURE_CLASSES } from '../../../src/channels/failure.ts';
import { SLACK, SLACK_MEANINGS } from '../../../src/channels/slack/answers.ts';
import { slackFailureOf } from '../../../src/channels/slack/client.ts';

const failureOf = (error: unknown, more: object = {}) =>
  slackFailureOf(
    new WebAPIPlatformError({ ok: false, error, ...more } as ConstructorParameters<
      typeof WebAPIPlatformError
    >[0]),
  );

const failureOfStatus = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  failureOfAnswer({ status, headers, body: '' }, SLACK);

/** Whether the failure concerns the address, so that another may succeed, or all of them. */
const CODES = {
  ratelimited: ['rate_limited', 'address'],
  rate_limited: ['rate_limited', 'address'],
  channel_not_found: ['config', 'address'],
  restricted_action_read_only_channel: ['config', 'address'],
  invalid_auth: ['config', 'channel'],
  invalid_blocks: ['permanent', 'channel'],
  internal_error: ['transient', 'channel'],
  constructor: ['transient', 'channel'],
};

describe('the meaning of a Slack error', () => {
  it('is that of its code, and whatever else Slack may call it, is tried again', () => {
    for (const [code, [failureClass, concerns]] of Object.entries(CODES))
      expect(failureOf(code), code).to.include({ class: failureClass, code, concerns });
    fc.assert(fc.property(fc.string(), (code) => FAILURE_CLASSES.includes(failureOf(code).class)));
    expect(failureOf('a_new_one').message).to.contain('it could not be handled');
  });

  it('says what to do about each, also in Japanese, in which nothing is English', () => {
    expect(failureOf('not_in_channel').message).to.equal(
      'Slack answered not_in_channel: the app is not a member of the channel; /invite it there.',
    );
    const english = /[a-z]{2,}[ ,]+[a-z]{2,}/;
    for (const code of [...Object.keys(SLACK_MEANINGS), 'a_new_one'])
      expect(failureOf(code).japanese, code).to.match(/。$/).and.not.to.match(english);
    expect(failureOfStatus(503).japanese).to.match(/^Slackの応答 503: /);
  });

  it('asks somebody to look where the "code" is a page, nothing, or no string', () => {
    for (const error of ['<html>', '', 'Bad Gateway', undefined, 7, { a: 1 }])
      expect(failureOf(error)).to.include({ class: 'config', code: 'not_json', mayHaveArrived: true });
  });

  it('depends on the status where the answer is not one of the API', () => {
    const classOf = (status: number) => failureOfStatus(status).class;
    expect([500, 502, 503, 504, 408, 425].map(classOf)).to.deep.equal(Array(6).fill('transient'));
    expect([400, 401, 403, 404, 405, 413, 301, 302, 308, 204].map(classOf)).to.deep.equal(
      Array(10).fill('config'),
    );
  });

  it('says how long the pause is, and what more than an hour Slack asked for, of which it obeys an hour, in both languages', () => {
    const failure = failureOfStatus(429, { 'retry-after': '31536000' });
    expect(failure.retryAfterMs).to.equal(3_600_000);
    expect(failure.message).to.contain('; the pause is 3600 s of the 31536000 s that it asked for.');
    expect(failure.japanese).to.contain('。3600秒待機します（要求された待機は31536000秒）。');
    const short = failureOfStatus(429, { 'retry-after': '10' });
    expect(short.message).to.contain('; the pause is 10 s.');
    expect(short.japanese).to.contain('。10秒待機します。');
  });

  it('is that of the network where Slack did not answer', () => {
    const original = Object.assign(new Error('x'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(slackFailureOf(new WebAPIRequestError(original)).class).to.equal('config');
    expect(slackFailureOf(new TypeError('terminated'))).to.include({ code: 'network_error' });
  });

  it('names the scope that is missing and the block at fault, and nothing else of what Slack says', () => {
    const wordsOf = (needed: string, words: string) => [
      failureOf('missing_scope', { needed }).message,
      failureOf('invalid_blocks', { response_metadata: { messages: [words] } }).message,
    ];
    const [scope, block] = wordsOf('chat:write', '[ERROR] SECRET [json-pointer:/blocks/3/text]');
    expect(scope).to.contain('(chat:write)');
    expect(block).to.contain('invalid_blocks at /blocks/3/text').and.not.contain('SECRET');
    expect(wordsOf('<b>SECRET</b>', 'SECRET').join()).not.to.contain('SECRET');
  });
});
