import { expect } from 'chai';
import { NothingSent, Unanswered } from '../../src/outbound/exchange.ts';
import { networkErrorOf, networkFailureOf } from '../../src/channels/network-error.ts';

const errorWith = (code: unknown, cause?: unknown) => Object.assign(new Error('outer', { cause }), { code });
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
    ...['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'].map((code) => errorWith(code)),
  ],
  network_error: [CIRCLE, undefined, 'text', errorWith(23), errorWith('see https://x/?token=1')],
};

const REFUSED: readonly (readonly [code: string, said: RegExp])[] = [
  ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS; check the port, and https:/],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', /does not speak TLS/],
  ['CERT_HAS_EXPIRED', /valid at another time.*clock/],
  ['CERT_NOT_YET_VALID', /valid at another time/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /another host name/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', /certificate or version was not accepted/],
  ['CERT_REVOKED', /certificate or version was not accepted/],
];

const UNSENT = [
  errorWith('UND_ERR_CONNECT_TIMEOUT'),
  Object.assign(errorWith('ETIMEDOUT'), { syscall: 'connect' }),
  new NothingSent(errorWith('ECONNRESET')),
  errorWith('EHOSTUNREACH'),
  new Unanswered(errorWith('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')),
];

describe('network trouble', () => {
  it('goes by one name, whoever reports it, and is transient', () => {
    for (const [code, errors] of Object.entries(CODES))
      for (const error of errors) expect(networkErrorOf(error), code).to.include({ code, isRefusal: false });
  });

  it('is lasting where the remote speaks no TLS, or its certificate is not accepted, and says why', () => {
    for (const [code, said] of REFUSED) {
      const { isRefusal, words } = networkErrorOf(errorWith(code));
      expect(isRefusal, code).to.equal(true);
      expect(words.en).to.match(said);
    }
  });

  it('is of this machine where that may open no more files, and says so', () => {
    for (const code of ['EMFILE', 'ENFILE']) {
      const { isRefusal, words } = networkErrorOf(errorWith(code));
      expect([isRefusal, words.en, words.ja].join()).to.match(/^false,.*limit of open files.*,.*上限/);
    }
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
    const answerless = new Unanswered(errorWith('EHOSTUNREACH'));
    for (const error of [TIME_OUT, UNREADABLE, errorWith('ECONNRESET'), answerless]) {
      const { message, japanese, mayHaveArrived } = failureOf(error);
      expect(mayHaveArrived).to.equal(true);
      expect(message).to.contain('may have arrived');
      expect(japanese).to.contain('届いている可能性があります');
    }
  });
});
