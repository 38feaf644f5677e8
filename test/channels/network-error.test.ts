import { expect } from 'chai';
import { NothingSent } from '../../src/outbound/exchange.ts';
import { networkErrorOf, networkFailureOf } from '../../src/channels/network-error.ts';

const errorWith = (code: unknown, cause?: unknown): Error =>
  Object.assign(new Error('outer', { cause }), { code });
const TIME_OUT = new DOMException('x', 'TimeoutError');
const UNREADABLE = Object.assign(errorWith('HPE_INVALID_CONSTANT'), { name: 'HTTPParserError' });
const CIRCLE: Error & { cause?: unknown } = new Error('circle');
CIRCLE.cause = CIRCLE;

const CODES: Readonly<Record<string, readonly unknown[]>> = {
  // The innermost code knows the reason.
  ENOTFOUND: [errorWith('slack_webapi_request_error', errorWith('UND_ERR_SOCKET', errorWith('ENOTFOUND')))],
  ECONNRESET: ['UND_ERR_SOCKET', 'EPIPE', 'ECONNECTION', 'ECONNRESET'].map((code) => errorWith(code)),
  ETIMEDOUT: [TIME_OUT, errorWith('UND_ERR_CONNECT_TIMEOUT')],
  unreadable_answer: [
    UNREADABLE,
    errorWith('UND_ERR_HEADERS_OVERFLOW'),
    errorWith('UND_ERR_RES_EXCEEDED_MAX_SIZE'),
  ],
  network_error: [CIRCLE, undefined, 'text', errorWith(23), errorWith('see https://x/?token=1')],
};

const REFUSED = ['CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'].concat(
  'ERR_SSL_WRONG_VERSION_NUMBER',
);

const UNSENT = [
  errorWith('UND_ERR_CONNECT_TIMEOUT'),
  Object.assign(errorWith('ETIMEDOUT'), { syscall: 'connect' }),
  new NothingSent(errorWith('ECONNRESET')),
];

describe('network trouble', () => {
  it('goes by one name, whoever reports it, and is transient', () => {
    for (const [code, errors] of Object.entries(CODES))
      for (const error of errors) expect(networkErrorOf(error), code).to.include({ code, isRefusal: false });
  });

  it('is lasting where a certificate is not accepted', () => {
    for (const code of REFUSED) expect(networkErrorOf(errorWith(code)).isRefusal, code).to.equal(true);
  });

  it('says whether the message may have arrived: not where the connection was not there in time', () => {
    const failureOf = (error: unknown) =>
      networkFailureOf({ en: 'Slack', ja: 'Slack' }, networkErrorOf(error));
    for (const error of UNSENT) {
      const { message, japanese, mayHaveArrived } = failureOf(error);
      expect(mayHaveArrived).to.equal(false);
      expect(message).to.match(/^No answer from Slack: .*\. Nothing was sent\.$/);
      expect(japanese).to.match(/^Slackから応答がありません。.*。メッセージは送信されていません。$/);
    }
    for (const error of [TIME_OUT, UNREADABLE, errorWith('ECONNRESET')]) {
      const { message, japanese, mayHaveArrived } = failureOf(error);
      expect(mayHaveArrived).to.equal(true);
      expect(message).to.contain('may have arrived');
      expect(japanese).to.contain('届いている可能性があります');
    }
  });
});
