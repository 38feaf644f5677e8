/** Why a delivery failed, in the operator's language. */
import { expect } from 'chai';
import { failureInWords } from '../../src/channels/failure-words.ts';
import type { FailureClass } from '../../src/channels/failure.ts';
import { slackMeaningOf } from '../../src/channels/slack/errors.ts';

const ENGLISH_WORDS = /[a-z]{2,}[ ,]+[a-z]{2,}/;

function words(failureClass: FailureClass, code: string): string {
  return failureInWords({ class: failureClass, code, message: 'It went wrong somehow.' }, 'ja');
}

describe('a failure in words', () => {
  it('is in English what it says itself', () => {
    const failure = { class: 'config', code: 'x', message: 'Slack answered x: mend it.' } as const;
    expect(failureInWords(failure, 'en')).to.equal('Slack answered x: mend it.');
  });

  it('is in Japanese what its code means, and what to do', () => {
    expect(words('config', 'not_in_channel')).to.equal(
      'アプリがチャンネルのメンバーではありません。/invite でアプリをチャンネルに招待してください。',
    );
    expect(words('permanent', '550')).to.equal('この宛先には配送できません。アドレスを確認してください。');
    expect(words('transient', 'ECONNREFUSED')).to.match(/^接続が拒否されました。/);
  });

  it('has Japanese words of its own for each setting that Slack may find at fault', () => {
    const codes = [
      'invalid_auth',
      'not_authed',
      'token_expired',
      'token_revoked',
      'account_inactive',
      'not_allowed_token_type',
      'missing_scope',
      'no_permission',
      'access_denied',
      'channel_not_found',
      'not_in_channel',
      'is_archived',
      'is_inactive',
      'messages_tab_disabled',
      'team_not_found',
      'posting_to_channel_denied',
      'restricted_action_read_only_channel',
      'message_limit_exceeded',
      'user_not_found',
      'two_factor_setup_required',
      'ekm_access_denied',
      'enterprise_is_restricted',
    ];
    for (const code of codes) {
      expect(slackMeaningOf(code)[0], code).to.equal('config');
      expect(words('config', code), code)
        .not.to.equal(words('config', 'never_seen'))
        .and.not.to.match(ENGLISH_WORDS);
    }
  });

  it('has Japanese words for what a proxy on the way did', () => {
    expect(words('config', 'proxy_407')).to.include('ユーザー名とパスワード').and.include('HTTPS_PROXY');
    expect(words('config', 'proxy_403')).to.include('NO_PROXY');
    expect(words('transient', 'proxy_502')).to.equal('プロキシが送信先に接続できませんでした。');
  });

  it('is in Japanese by its class where nobody knows its code, and never in English', () => {
    for (const failureClass of ['transient', 'rate_limited', 'permanent', 'config'] as const) {
      for (const code of [
        'never_seen',
        '',
        '599',
        'http_404',
        'http_503',
        'CERT_HAS_EXPIRED',
        'constructor',
      ]) {
        expect(words(failureClass, code), code).to.match(/。$/).and.not.to.match(ENGLISH_WORDS);
      }
    }
  });
});
