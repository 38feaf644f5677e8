import { expect } from 'chai';
import { exemptHosts, parseProxy, proxyFor } from '../../src/outbound/proxy.ts';

const HTTPS = parseProxy('http://secure.example:3128');
const HTTP = parseProxy('http://plain.example:3128');

const goesThrough = (origin: string, noProxy = '') =>
  proxyFor(origin, { https: HTTPS, http: HTTP, exempt: exemptHosts(noProxy) })?.origin;

describe('The proxy of a remote', () => {
  it('is the one of its scheme, for this machine, too', () => {
    expect(goesThrough('https://slack.com')).to.equal('http://secure.example:3128');
    expect(goesThrough('http://slack.com')).to.equal('http://plain.example:3128');
    expect(goesThrough('http://127.0.0.1:8080')).to.equal('http://plain.example:3128');
    expect(goesThrough('https://localhost')).to.equal('http://secure.example:3128');
  });

  for (const [exempted, rows] of Object.entries({
    names: [
      ['*', 'https://slack.com'],
      ['a.example  slack.com', 'https://slack.com'],
      ['SLACK.com.', 'https://slack.com'],
      ['slack.com', 'https://hooks.slack.com'],
      ['.slack.com', 'https://slack.com'],
      ['*.slack.com', 'https://hooks.slack.com'],
      ['slack.com:443', 'https://slack.com'],
      ['127.0.0.1', 'http://127.0.0.1:8080'],
      ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
      ['10.0.0.0/8', 'https://10.1.2.3'],
      ['::1', 'http://[::1]:8080'],
      ['[::1]:8080', 'http://[::1]:8080'],
      ['0:0:0:0:0:0:0:1', 'http://[::1]'],
      ['fd00::/8', 'https://[fd12::7]'],
    ],
    'does not name': [
      [' , ', 'https://slack.com'],
      ['.', 'https://slack.com'],
      ['slack.com', 'https://notslack.com'],
      ['hooks.slack.com', 'https://slack.com'],
      ['slack.com:80', 'https://slack.com'],
      ['127.0.0.1:8080', 'https://127.0.0.1:8081'],
      ['10.0.0.0/8', 'https://11.0.0.1'],
      ['10.0.0.0/99', 'https://10.0.0.1'],
      ['10.0.0.0/8', 'https://ten.example'],
      ['0.0.1', 'https://127.0.0.1'],
    ],
  }))
    it(`is ${exempted === 'names' ? 'none' : 'there'} where NO_PROXY ${exempted} the remote`, () => {
      for (const [noProxy, origin = ''] of rows) {
        const isExempt = goesThrough(origin, noProxy) === undefined;
        expect(isExempt, `${noProxy}: ${origin}`).to.equal(exempted === 'names');
      }
    });
});

describe("A proxy's URL", () => {
  it('is shown without user and password, which are sent decoded', () => {
    const proxy = parseProxy('http://bot:p%40ss%3Aw%C3%B6rd@proxy.example:3128/');
    const sent = Buffer.from('bot:p@ss:wörd').toString('base64');
    const secrets = ['p%40ss%3Aw%C3%B6rd', 'p@ss:wörd', sent];
    const authorization = `Basic ${sent}`;
    expect(proxy).to.deep.equal({ origin: 'http://proxy.example:3128', authorization, secrets });
  });

  it('may have a user without a password, who is as secret', () => {
    const sent = Buffer.from('t0ken:').toString('base64');
    const login = { authorization: `Basic ${sent}`, secrets: ['t0ken', sent] };
    const proxy = parseProxy('https://t0ken@proxy.example');
    expect(proxy).to.deep.equal({ origin: 'https://proxy.example', ...login });
  });

  it('is none where it is that of something else, or cannot be read', () => {
    const others = 'proxy.example:3128 socks5://proxy.example ftp://proxy.example http://';
    for (const text of ['', ...others.split(' '), 'http://proxy.example/proxy.pac', 'http://proxy.example?a'])
      expect(parseProxy(text), text).to.equal(undefined);
  });
});
