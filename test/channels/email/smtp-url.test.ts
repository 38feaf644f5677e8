import { expect } from 'chai';
import {
  isSmtpUrl,
  poolOptionsOf,
  secretsInSmtpUrl,
  warningsOfSmtpUrl,
  withService,
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
    for (const query of ['?ignoreTLS=true', '?requireTLS=false', '?opportunisticTLS=true']) {
      expect(requires(query), query).to.equal(false);
    }
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
      greetingTimeout: 5_000,
      socketTimeout: 10_000,
    });
    expect(options.tls).to.deep.equal({ servername: 'x' });
  });

  it('cannot start logging', () => {
    expect(poolOptionsOf('smtp://h?logger=true&debug=true')).to.include({ logger: false, debug: false });
  });

  it('says how many connections there may be at most, ten where it does not, or not in numbers', () => {
    const countIn = (query: string) => poolOptionsOf(`smtp://h${query}`).maxConnections;
    const counts = [
      '',
      '?maxConnections=3',
      '?maxConnections=many',
      '?maxConnections=0',
      '?maxConnections=1.5',
    ];
    expect(counts.map(countIn)).to.deep.equal([10, 3, 10, 10, 10]);
    expect(warningsOfSmtpUrl('smtp://h?maxConnections=many')[0]?.message).to.contain('whole number');
    expect(warningsOfSmtpUrl('smtp://h?maxConnections=3')).to.deep.equal([]);
  });

  it('may name a service, whose server is known', async () => {
    const known = await withService(poolOptionsOf('smtp://u:p@x?service=gmail'));
    expect(known).to.deep.include({
      host: 'smtp.gmail.com',
      port: 465,
      secure: true,
      auth: { user: 'u', pass: 'p' },
    });
    const options = poolOptionsOf('smtp://u:p@mail.example.com?service=nobody-knows-it');
    expect(await withService(options)).to.equal(options);
  });

  it('holds as secrets its password, as written and as meant, and itself', () => {
    const url = 'smtp://bot:p%40ss@h';
    expect(secretsInSmtpUrl(url)).to.have.members(['p%40ss', 'p@ss', url]);
    expect(secretsInSmtpUrl('smtp://bot:plain@h')).to.have.members(['plain', 'smtp://bot:plain@h']);
    expect(secretsInSmtpUrl('smtp://h')).to.deep.equal([]);
    expect(secretsInSmtpUrl('smtp://bot@h')).to.deep.equal([]);
  });

  it('is doubted where its password may be read or given to a stranger', () => {
    for (const query of ['?ignoreTLS=true', '?requireTLS=false', '?opportunisticTLS=true']) {
      expect(warningsOfSmtpUrl(`smtp://u:p@h${query}`)[0]?.message, query).to.contain('in clear');
      expect(warningsOfSmtpUrl(`smtp://h${query}`), query).to.deep.equal([]);
    }
    expect(warningsOfSmtpUrl('smtps://u:p@h?tls.rejectUnauthorized=false')[0]?.message).to.contain(
      'any server',
    );
    for (const url of ['smtps://u:p@h', 'smtp://u:p@h', 'smtp://u:p@h?requireTLS=true&ignoreTLS=true']) {
      expect(warningsOfSmtpUrl(url), url).to.deep.equal([]);
    }
  });
});
