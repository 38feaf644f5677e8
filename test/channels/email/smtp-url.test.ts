import { expect } from 'chai';
import {
  turnLimitsOf,
  isSmtpUrl,
  poolOptionsOf,
  secretsInSmtpUrl,
  warningsOfSmtpUrl,
} from '../../../src/channels/email/smtp-url.ts';

describe('an smtp URL', () => {
  it('is smtp:// or smtps:// with a host or a well-known service', () => {
    for (const url of [
      'smtp://mail.example.com',
      'smtps://u:p@mail.example.com:465',
      'smtp://u:p@x?service=gmail',
    ]) {
      expect(isSmtpUrl(url), url).to.equal(true);
    }
    for (const url of [
      '',
      'mail.example.com',
      'http://x',
      'direct://x',
      'smtp://',
      'smtp://u:p#q@x',
      'smtp://a b',
    ]) {
      expect(isSmtpUrl(url), url).to.equal(false);
    }
  });

  it('requires TLS on smtp:// unless it says otherwise', () => {
    const requires = (query: string) => poolOptionsOf(`smtp://mail.example.com${query}`).requireTLS;
    expect(requires('')).to.equal(true);
    expect(requires('?ignoreTLS=true')).to.equal(false);
    for (const query of ['?requireTLS=false', '?opportunisticTLS=true'])
      expect(requires(query), query).to.equal(true);
    expect(requires('?ignoreTLS=false')).to.equal(true);
    expect(poolOptionsOf('smtps://mail.example.com').secure).to.equal(true);
  });

  it('may set nodemailer’s options, ours standing only where it does not', () => {
    const options = poolOptionsOf(
      'smtp://u:p%40ss@h:2525?maxConnections=3&tls.servername=x&connectionTimeout=9',
    );
    expect(options).to.deep.include({
      host: 'h',
      port: 2525,
      auth: { user: 'u', pass: 'p@ss' },
      maxConnections: 3,
      connectionTimeout: 9,
      greetingTimeout: 25_000,
      socketTimeout: 660_000,
      idleTimeout: 30_000,
    });
    expect(options.tls).to.deep.equal({ servername: 'x' });
  });

  it('limits the mails at a time and their rate, for which nodemailer has no mail wait', () => {
    const url = 'smtp://h?maxConnections=2&rateLimit=5&rateDelta=60000';
    expect(turnLimitsOf(url)).to.deep.equal({ connections: 2, mails: 5, perMs: 60_000 });
    expect(turnLimitsOf('smtp://h?rateLimit=many')).to.deep.equal({ connections: 3, mails: 0, perMs: 1000 });
    expect(poolOptionsOf(url)).not.to.have.any.keys('rateLimit', 'rateDelta');
  });

  it('cannot start logging', () => {
    expect(poolOptionsOf('smtp://h?logger=true&debug=true')).to.include({ logger: false, debug: false });
  });

  it('holds as secrets its password, as written, as meant and as sent, and itself', () => {
    const url = 'smtp://bot:p%40ss@h';
    const sent = ['p@ss', '\0bot\0p@ss'].map((text) => Buffer.from(text).toString('base64'));
    expect(secretsInSmtpUrl(url)).to.have.members(['p%40ss', 'p@ss', url, ...sent]);
    expect(secretsInSmtpUrl('smtp://h')).to.deep.equal([]);
    expect(secretsInSmtpUrl('smtp://bot@h')).to.deep.equal([]);
  });

  it('is doubted where its password may be read or given to a stranger', () => {
    expect(warningsOfSmtpUrl('smtp://u:p@h?ignoreTLS=true')[0]?.message).to.contain('in clear');
    expect(warningsOfSmtpUrl('smtp://h?ignoreTLS=true')).to.deep.equal([]);
    expect(warningsOfSmtpUrl('smtps://u:p@h?tls.rejectUnauthorized=false')[0]?.message).to.contain(
      'any server',
    );
    for (const url of ['smtps://u:p@h', 'smtp://u:p@h']) {
      expect(warningsOfSmtpUrl(url), url).to.deep.equal([]);
    }
  });
});
