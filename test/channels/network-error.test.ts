import { expect } from 'chai';
import { NothingSent } from '../../src/outbound/exchange.ts';
import { networkErrorOf, networkFailureOf } from '../../src/channels/network-error.ts';

const REMOTE = { en: 'Slack', ja: 'Slack' };

const errorWith = (code: unknown, cause?: unknown): Error =>
  Object.assign(new Error('outer', { cause }), { code });

describe('network trouble', () => {
  it('goes by the innermost code, which knows the reason', () => {
    const error = errorWith(
      'slack_webapi_request_error',
      errorWith('UND_ERR_SOCKET', errorWith('ENOTFOUND')),
    );
    expect(networkErrorOf(error).code).to.equal('ENOTFOUND');
  });

  it('calls the same thing by the same name, whoever reports it', () => {
    for (const [code, name] of [
      ['UND_ERR_SOCKET', 'ECONNRESET'],
      ['EPIPE', 'ECONNRESET'],
      ['ECONNECTION', 'ECONNRESET'],
    ]) {
      expect(networkErrorOf(errorWith(code)).code).to.equal(name);
    }
    expect(networkErrorOf(new DOMException('x', 'TimeoutError')).code).to.equal('ETIMEDOUT');
  });

  it('says of a connection that was not there in time that nothing was sent, and else of a time-out that it may have', () => {
    const connecting = [
      errorWith('UND_ERR_CONNECT_TIMEOUT'),
      Object.assign(errorWith('ETIMEDOUT'), { syscall: 'connect' }),
    ];
    for (const error of connecting) {
      const { message, japanese, code } = networkFailureOf(REMOTE, networkErrorOf(error));
      expect(code).to.equal('ETIMEDOUT');
      expect(message).to.match(/^No answer from Slack: .*\. Nothing was sent\.$/);
      expect(japanese).to.match(/^Slackから応答がありません。.*。メッセージは送信されていません。$/);
    }
    const late = networkFailureOf(REMOTE, networkErrorOf(new DOMException('x', 'TimeoutError')));
    expect(late.message).to.contain('may have arrived');
    expect(late.japanese).to.contain('届いている可能性があります');
  });

  it('says of an answer that cannot be read that the message may have arrived', () => {
    const unreadable = Object.assign(errorWith('HPE_INVALID_CONSTANT'), { name: 'HTTPParserError' });
    for (const error of [unreadable, errorWith('UND_ERR_HEADERS_OVERFLOW')]) {
      const failure = networkFailureOf(REMOTE, networkErrorOf(error));
      expect(failure).to.include({ class: 'transient', code: 'unreadable_answer' });
      expect(failure.message).to.contain('may have arrived');
    }
  });

  it('says that nothing was sent where it came before the message', () => {
    const failure = networkFailureOf(REMOTE, networkErrorOf(new NothingSent(errorWith('ECONNRESET'))));
    expect(failure).to.include({ code: 'ECONNRESET', mayHaveArrived: false });
    expect(failure.message).to.contain('Nothing was sent');
    const later = networkFailureOf(REMOTE, networkErrorOf(errorWith('ECONNRESET')));
    expect(later).to.include({ mayHaveArrived: true });
  });

  it('knows a certificate that is not accepted', () => {
    for (const code of ['CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']) {
      expect(networkErrorOf(errorWith(code)).isRefusal, code).to.equal(true);
    }
    expect(networkErrorOf(errorWith('ERR_SSL_WRONG_VERSION_NUMBER')).isRefusal).to.equal(true);
    expect(networkErrorOf(errorWith('ECONNRESET')).isRefusal).to.equal(false);
  });

  it('finds words for anything, a circle of causes included', () => {
    const circle: Error & { cause?: unknown } = new Error('circle');
    circle.cause = circle;
    for (const odd of [circle, undefined, 'text', errorWith(23), errorWith('see https://x/?token=1')]) {
      expect(networkErrorOf(odd)).to.include({ code: 'network_error', isRefusal: false });
    }
  });
});
