/** Where the proxy of a config comes from, and who never sees its password. */
import { expect } from 'chai';
import { formatProblem } from '../../src/config/problems.ts';
import { loadText } from './load-fixture.ts';

const REST = `
channels: { chat: { type: chat, token: xoxb-1 } }
default_route: { notify: [{ chat: '#ops' }] }
`;

function load(line: string, variables: Readonly<Record<string, string>> = {}) {
  const { config, problems } = loadText(`${line}${REST}`, { variables });
  const { https, http, exempt } = config?.proxies ?? {};
  return {
    proxies: [https?.origin, http?.origin],
    exempt,
    secrets: config?.secrets,
    problems: problems.map(formatProblem),
  };
}

const HTTPS_PROXY = 'http://secure.example:3128';
const HTTP_PROXY = 'http://plain.example:3128';

describe('The proxy of a config', () => {
  it('is what it says, for https: and for http:', () => {
    const variables = { HTTPS_PROXY, HTTP_PROXY, NO_PROXY: 'a.example' };
    const { proxies, exempt } = load('proxy: http://own.example:3128', variables);
    expect(proxies).to.deep.equal(['http://own.example:3128', 'http://own.example:3128']);
    expect(exempt).to.deep.equal(['a.example']);
  });

  it('is what the environment says where the config says nothing', () => {
    const none = [undefined, undefined];
    for (const line of ['', "proxy: ''", 'proxy: "${MY_PROXY:-}"']) {
      expect(load(line).proxies, line).to.deep.equal(none);
      expect(load(line, { HTTPS_PROXY }).proxies, line).to.deep.equal([HTTPS_PROXY, undefined]);
      expect(load(line, { http_proxy: HTTP_PROXY }).proxies, line).to.deep.equal([undefined, HTTP_PROXY]);
      expect(load(line, { https_proxy: '', HTTPS_PROXY: '' }).proxies, line).to.deep.equal(none);
    }
  });

  it('is, of a variable in small and in capital letters, the one in small letters', () => {
    const variables = { HTTPS_PROXY, https_proxy: 'small.example:1', NO_PROXY: 'a.example', no_proxy: '*' };
    expect(load('', variables)).to.deep.include({ proxies: ['http://small.example:1', undefined] });
    expect(load('', variables).exempt).to.deep.equal(['*']);
  });

  it('is none where it is off', () => {
    expect(load('proxy: off', { HTTPS_PROXY, HTTP_PROXY }).proxies).to.deep.equal([undefined, undefined]);
  });

  it('is refused where the environment has one that speaks no HTTP, without showing it', () => {
    const variables = { https_proxy: 'socks5://bot:hunter2@proxy.example:1080' };
    const { problems } = load('', variables);
    expect(problems.join('\n'))
      .to.match(
        /^botbell\.yaml:\d+:\d+: the environment variable https_proxy \(or in capitals\) must be the URL of an HTTP proxy/,
      )
      .and.to.include('`proxy: off` goes without')
      .and.not.to.include('hunter2');
    expect(load('proxy: off', variables).problems).to.deep.equal([]);
    const elsewhere = loadText(REST, { variables, withoutSecrets: true });
    expect(elsewhere.problems, 'where the config is only checked').to.deep.equal([]);
  });

  it('keeps its password a secret, wherever it comes from', () => {
    const url = 'http://bot:p%40ssword@proxy.example:3128';
    for (const { secrets, problems } of [
      load(`proxy: ${url}`),
      load('proxy: "${MY_PROXY}"', { MY_PROXY: url }),
      load('', { HTTPS_PROXY: url }),
    ]) {
      expect(problems).to.deep.equal([]);
      expect(secrets).to.include.members(['p%40ssword', 'p@ssword']);
    }
  });
});
