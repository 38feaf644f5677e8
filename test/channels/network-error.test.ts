import { expect } from 'chai';
import { networkErrorOf } from '../../src/channels/failure.ts';

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
      ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'],
    ]) {
      expect(networkErrorOf(errorWith(code)).code).to.equal(name);
    }
    expect(networkErrorOf(new DOMException('x', 'TimeoutError')).code).to.equal('ETIMEDOUT');
  });

  it('reads the code that nodemailer puts aside', () => {
    const error = Object.assign(errorWith('ESOCKET'), { originalCode: 'ECONNREFUSED' });
    expect(networkErrorOf(error).code).to.equal('ECONNREFUSED');
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
