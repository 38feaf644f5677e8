/** Of which class each code of the API is, docs/slack-app.md says; `test/docs/slack-app.test.ts` compares both. */
import { WebAPIPlatformError } from '@slack/web-api';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { FAILURE_CLASSES } from '../../../src/channels/failure.ts';
import { SLACK_MEANINGS } from '../../../src/channels/slack/answers.ts';
import { slackFailureOf } from '../../../src/channels/slack/client.ts';

const failureOf = (error: unknown, more: object = {}) =>
  slackFailureOf(new WebAPIPlatformError({ ok: false, error, ...more } as never));

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
  });

  it('asks somebody to look where the "code" is a page, nothing, or no string', () => {
    for (const error of ['<html>', '', 'Bad Gateway', undefined, 7, { a: 1 }])
      expect(failureOf(error)).to.include({ class: 'config', code: 'not_json', mayHaveArrived: true });
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
