/** Where the proxy of a config comes from, and who never sees its password. */
import { expect } from 'chai';
import { problemLines } from '../../src/config/problems.ts';
import { loadText } from './load-fixture.ts';

const REST = `
channels: { chat: { type: chat, token: xoxb-1 } }
default_route: { notify: [{ chat: '#ops' }] }
`;

const HTTPS_PROXY = 'http://secure.example:3128';
const HTTP_PROXY = 'http://plain.example:3128';
const OWN = 'http://own.example:3128';
const NONE = [undefined, undefined];

/** A line of the config, the environment, and the proxies for https: and for http:. */
const ROWS: readonly (readonly [string, Record<string, string>, readonly (string | undefined)[]])[] = [
  [`proxy: ${OWN}`, { HTTPS_PROXY, HTTP_PROXY }, [OWN, OWN]],
  ['proxy: off', { HTTPS_PROXY, HTTP_PROXY }, NONE],
  ['', {}, NONE],
  ['', { https_proxy: '', HTTPS_PROXY: '' }, NONE],
  ['', { http_proxy: HTTP_PROXY }, [undefined, HTTP_PROXY]],
  ['', { HTTPS_PROXY, https_proxy: 'small.example:1' }, ['http://small.example:1', undefined]],
  ["proxy: ''", { HTTPS_PROXY }, [HTTPS_PROXY, undefined]],
  ['proxy: "${MY_PROXY:-}"', { HTTPS_PROXY }, [HTTPS_PROXY, undefined]],
];

describe('The proxy of a config', () => {
  it('is what it says, else what the environment says, in small letters before capitals', () => {
    for (const [line, variables, expected] of ROWS) {
      const { https, http } = loadText(`${line}${REST}`, { variables }).config?.proxies ?? {};
      expect([https?.origin, http?.origin], `${line} ${JSON.stringify(variables)}`).to.deep.equal(expected);
    }
    const variables = { NO_PROXY: 'a.example', no_proxy: '*' };
    expect(loadText(`proxy: ${OWN}${REST}`, { variables }).config?.proxies.exempt).to.deep.equal(['*']);
  });

  it('is refused where the environment has one that speaks no HTTP, without showing it', () => {
    const variables = { https_proxy: 'socks5://bot:hunter2@proxy.example:1080' };
    const [problem] = problemLines(loadText(REST, { variables }).problems);
    const named = 'the environment variable https_proxy (or in capitals) must be the URL of an HTTP proxy';
    for (const part of [named, '`proxy: off` goes without']) expect(problem).to.include(part);
    expect(problem).not.to.include('hunter2');
    expect(loadText(`proxy: off${REST}`, { variables }).problems).to.deep.equal([]);
    const elsewhere = loadText(REST, { variables, withoutSecrets: true });
    expect(elsewhere.problems, 'where the config is only checked').to.deep.equal([]);
  });

  it('keeps its password a secret, wherever it comes from', () => {
    const url = 'http://bot:p%40ssword@proxy.example:3128';
    for (const [line, variables] of [
      [`proxy: ${url}`, {}],
      ['proxy: "${MY_PROXY}"', { MY_PROXY: url }],
      ['', { HTTPS_PROXY: url }],
    ] as const)
      for (const secret of ['p%40ssword', 'p@ssword'])
        expect(loadText(`${line}${REST}`, { variables }).config?.secrets, line).to.include(secret);
  });
});
