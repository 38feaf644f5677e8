/** The whole bridge behind a forward proxy that wants a password: what goes through it, and what nobody sees of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as forward } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { pino } from 'pino';
import { request } from 'undici';
import { type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';
import { runCommand } from '../support/command.ts';
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy.ts';
import { MAIN } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { tempFolder } from '../support/temp-folder.ts';

const LOGIN = { user: 'bot', password: 'p@ss:w0rd' };
const IN_URL = 'p%40ss%3Aw0rd';
const WRONG = 'not-the-password';

const TLS = 'test/fixtures/tls/remote.test';

const ROUTES = `
delivery: { attempts_per_request: 1, permanent_attempts: 0 }
default_route: { notify: [{ slack: '#ops' }, { email: ops@example.com }] }
`;

describe('Behind a forward proxy', () => {
  let proxy: ForwardProxy;
  let world: BridgeWorld;
  let log: string[];

  const start = async (password = IN_URL) => {
    log = [];
    const logger = pino({ level: 'debug' }, { write: (line) => void log.push(line) });
    world = await createBridgeWorld(`proxy: http://bot:${password}@${proxy.host}${ROUTES}`, { logger });
  };
  const run = (...args: string[]) => runCommand([...args, '--config', join(world.folder, 'botbell.yaml')]);
  const seen = async () => {
    const shown = ['/', '/config', '/dead', '/api/callbacks', '/api/callbacks/1', '/metrics'].map(
      async (path) => {
        const { body } = await request(`http://127.0.0.1:${world.app.admin?.port}${path}`);
        return body.text();
      },
    );
    return [...log, ...(await Promise.all(shown))].join('\n');
  };

  beforeEach(async () => {
    proxy = await startForwardProxy({ login: LOGIN });
  });

  afterEach(async () => {
    await world.close();
    await proxy.close();
  });

  it('Slack is told through it, mail is not, and nobody sees its password', async () => {
    await start();
    const { status, body } = await world.post(callback());
    expect([status, body.result]).to.deep.equal([200, 'delivered']);
    expect([world.slack.messages.length, world.mail.mails.length]).to.deep.equal([1, 1]);
    expect(proxy.asked).to.deep.equal([`${world.slack.apiUrl}chat.postMessage`]);
    const shown = await seen();
    expect(shown).not.to.match(/p(%40|@)ss(%3A|:)w0rd/);
  });

  it('check --online and test go through it, too', async () => {
    await start();
    const check = await run('check', '--online');
    expect(check.stdout).to.include('channel slack: can be used');
    expect(check.stdout).to.match(/^channel email: can be used$/m);
    expect((await run('test', 'slack:#ops')).code).to.equal(0);
    expect(proxy.asked.map((url) => url.split('/').at(-1))).to.deep.equal(['auth.test', 'chat.postMessage']);
  });

  it('a password that it refuses is a setting to mend, and once it is, who was not told is told', async () => {
    await start(WRONG);
    const { body } = await world.post(callback());
    expect(body.result).to.equal('taken_over');
    const refused = `the proxy http://${proxy.host} refused to connect (407)`;
    expect(await seen())
      .to.include(refused)
      .and.to.include('proxy_407')
      .and.not.to.include(WRONG);
    const check = await run('check', '--online');
    expect([
      check.code,
      check.stdout.includes(`channel slack: cannot be used: No answer from Slack: ${refused}`),
    ]).to.deep.equal([1, true]);
    await world.swap((yaml) => yaml.replace(WRONG, IN_URL));
    await until('Slack is told', () => world.slack.messages.length === 1);
    expect(`${await seen()}${check.stdout}`).not.to.include(WRONG);
  });
});

describe('The built program behind the proxy of its environment', () => {
  let folder: string;
  let proxy: ForwardProxy;
  let slack: SlackStandIn;
  let api: Server;

  const check = async (noProxy = '') => {
    const env = {
      PATH: process.env['PATH'],
      HTTPS_PROXY: `http://bot:${IN_URL}@${proxy.host}`,
      NO_PROXY: noProxy,
      NODE_EXTRA_CA_CERTS: `${TLS}.crt`,
    };
    const child = spawn(
      process.execPath,
      [MAIN, 'check', '--online', '--config', join(folder, 'botbell.yaml')],
      { env },
    );
    const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
    return stdout + stderr;
  };

  before(async () => {
    folder = tempFolder();
    slack = await startSlackStandIn({ tokens: ['xoxb-1'], channels: [] });
    // What stands in front of Slack's API speaks TLS alone.
    api = createServer(
      { key: readFileSync(`${TLS}.key`), cert: readFileSync(`${TLS}.crt`) },
      (request, response) => {
        const upstream = forward(`${new URL(slack.apiUrl).origin}${request.url}`, {
          method: 'POST',
          headers: { authorization: request.headers.authorization },
        });
        upstream.on('response', (answer) => answer.pipe(response));
        request.pipe(upstream);
      },
    ).listen(0, '127.0.0.1');
    await once(api, 'listening');
    proxy = await startForwardProxy({
      login: LOGIN,
      ports: { 'remote.test': (api.address() as AddressInfo).port },
    });
    writeFileSync(
      join(folder, 'botbell.yaml'),
      `
store: { url: 'sqlite:${folder}/botbell.db' }
channels: { slack: { type: slack, token: xoxb-1, api_url: 'https://remote.test/api/' } }
default_route: { notify: [{ slack: '#ops' }] }
`,
    );
  });

  after(async () => {
    api.close();
    await Promise.all([proxy.close(), slack.close()]);
  });

  it('reaches an https: remote through it, and none that NO_PROXY names', async () => {
    expect(await check()).to.include('channel slack: can be used');
    expect([slack.calls, proxy.asked]).to.deep.equal([['auth.test'], ['remote.test:443']]);
    expect(await check('remote.test')).to.match(
      /channel slack: cannot be used: No answer from Slack: the connection failed \(E/,
    );
    expect(proxy.asked).to.have.length(1);
  });
});
