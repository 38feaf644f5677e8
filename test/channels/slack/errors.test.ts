import { WebAPIPlatformError, WebAPIRequestError } from '@slack/web-api';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { failureOfAnswer } from '../../../src/channels/answers.ts';
import { FAILURE_CLASSES } from '../../../src/channels/failure.ts';
import type { FailureClass } from '../../../src/channels/failure.ts';
import { SLACK, SLACK_MEANINGS } from '../../../src/channels/slack/answers.ts';
import { slackFailureOf } from '../../../src/channels/slack/client.ts';

const platformError = (data: object): WebAPIPlatformError =>
  new WebAPIPlatformError({ ok: false, ...data } as ConstructorParameters<typeof WebAPIPlatformError>[0]);

const failureOfStatus = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  failureOfAnswer({ status, headers, body: '' }, SLACK);

/** Slack's documented codes, by what they mean for a delivery. */
const CODES: Readonly<Record<FailureClass, string>> = {
  rate_limited: 'ratelimited rate_limited',
  transient: `internal_error fatal_error service_unavailable request_timeout team_added_to_org org_login_required
    external_channel_migrating update_failed a_new_one`,
  config: `invalid_auth not_authed token_expired token_revoked account_inactive missing_scope not_allowed_token_type
    no_permission access_denied accesslimited app_access_restricted two_factor_setup_required ekm_access_denied
    enterprise_is_restricted team_access_not_granted as_user_not_supported send_on_behalf_not_allowed
    metadata_must_be_sent_from_app unknown_method method_deprecated deprecated_endpoint channel_not_found not_in_channel
    is_archived is_inactive restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel
    messages_tab_disabled team_not_found posting_to_channel_denied message_limit_exceeded`,
  permanent: `invalid_blocks invalid_blocks_format msg_too_long msg_blocks_too_long no_text invalid_metadata_format
    metadata_too_large too_many_attachments too_many_contact_cards attachment_payload_limit_exceeded invalid_attachments
    markdown_text_conflict invalid_arguments invalid_arg_name invalid_array_arg invalid_charset invalid_form_data
    invalid_post_type slack_connect_file_link_sharing_blocked`,
};

describe('the meaning of a Slack error', () => {
  for (const failureClass of FAILURE_CLASSES) {
    it(`is ${failureClass} for each code of that kind`, () => {
      for (const code of CODES[failureClass].split(/\s+/)) {
        expect(slackFailureOf(platformError({ error: code })), code).to.include({
          class: failureClass,
          code,
        });
      }
    });
  }

  it('says what to do about each', () => {
    const { message } = slackFailureOf(platformError({ error: 'not_in_channel' }));
    expect(message).to.equal(
      'Slack answered not_in_channel: the app is not a member of the channel; /invite it there.',
    );
    expect(slackFailureOf(platformError({ error: 'a_new_one' })).message).to.contain('next attempt');
  });

  it('is told in Japanese for every code that we know, and never in English', () => {
    for (const code of [...Object.keys(SLACK_MEANINGS), 'a_new_one']) {
      const { japanese } = slackFailureOf(platformError({ error: code }));
      expect(japanese, code)
        .to.match(/。$/)
        .and.not.to.match(/[a-z]{2,}[ ,]+[a-z]{2,}/);
    }
    expect(failureOfStatus(503).japanese).to.match(/^Slackの応答 503: /);
  });

  it('concerns the address where another channel may succeed, and else all of them', () => {
    const concernOf = (error: string) => slackFailureOf(platformError({ error })).concerns;
    expect(['channel_not_found', 'restricted_action_read_only_channel'].map(concernOf)).to.deep.equal([
      'address',
      'address',
    ]);
    expect(['invalid_auth', 'invalid_blocks'].map(concernOf)).to.deep.equal(['channel', 'channel']);
  });

  it('is found for whatever Slack may call it, names of object members included', () => {
    const classOf = (error: string) => slackFailureOf(platformError({ error })).class;
    fc.assert(fc.property(fc.string(), (code) => FAILURE_CLASSES.includes(classOf(code))));
    expect(classOf('constructor')).to.equal('transient');
  });

  it('is transient where the "code" is a page, nothing, or no string', () => {
    for (const error of ['<html>', '', 'Bad Gateway', undefined, 7, { a: 1 }]) {
      expect(slackFailureOf(platformError({ error }))).to.include({ class: 'transient', code: 'not_json' });
    }
  });

  it('depends on the status where the answer is not one of the API', () => {
    const classOf = (status: number) => failureOfStatus(status).class;
    expect([500, 502, 503, 504, 408, 204].map(classOf)).to.deep.equal(Array(6).fill('transient'));
    expect([400, 401, 403, 404, 405, 413, 301, 302, 308].map(classOf)).to.deep.equal(Array(9).fill('config'));
  });

  it('says what more than an hour Slack asked for, and obeys an hour of it', () => {
    const failure = failureOfStatus(429, { 'retry-after': '31536000' });
    expect(failure.retryAfterMs).to.equal(3_600_000);
    expect(failure.message).to.contain('the pause is 3600 s of the 31536000 s');
  });

  it('is config at a certificate that is not accepted, and transient for other trouble below HTTP', () => {
    const failing = (code: string) => new WebAPIRequestError(Object.assign(new Error('x'), { code }));
    expect(slackFailureOf(failing('DEPTH_ZERO_SELF_SIGNED_CERT')).class).to.equal('config');
    expect(slackFailureOf(failing('ECONNRESET'))).to.include({ class: 'transient', code: 'ECONNRESET' });
    expect(slackFailureOf(new TypeError('terminated'))).to.include({
      class: 'transient',
      code: 'network_error',
    });
  });

  it('names the scope that is missing and the block at fault, and nothing else of what Slack says', () => {
    const wordsOf = (needed: string, words: string) => [
      slackFailureOf(platformError({ error: 'missing_scope', needed })).message,
      slackFailureOf(platformError({ error: 'invalid_blocks', response_metadata: { messages: [words] } }))
        .message,
    ];
    const [scope, block] = wordsOf('chat:write', '[ERROR] SECRET [json-pointer:/blocks/3/text]');
    expect(scope).to.contain('(chat:write)');
    expect(block).to.contain('invalid_blocks at /blocks/3/text').and.not.contain('SECRET');
    expect(wordsOf('<b>SECRET</b>', 'SECRET').join()).not.to.contain('SECRET');
  });
});
