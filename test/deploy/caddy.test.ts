/** The Caddyfiles of deploy/, read by Caddy itself. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  ADMIN_HOST,
  CALLBACK_HOST,
  describeProxy,
  type RunningProxy,
  type Upstream,
} from '../contract/proxy-contract.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { startProxyProcess } from '../support/proxy-process.ts';
import { until } from '../support/proof-wait.ts';
import { replaceEach } from '../support/replace-each.ts';
import { tlsRequest } from '../support/tls-request.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const BESIDE = join(DEPLOY, 'proxies/Caddyfile');
const OF_COMPOSE = join(DEPLOY, 'container/Caddyfile');

const HERE = '127.0.0.1';
const REPLICAS = [HERE, '127.0.0.2'];

/** Certificates of its own, and nothing outside its folder. */
const OF_TESTS =
  '{\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n\tadmin off\n\tlog {';

async function startBeside({ receiverPort, adminPort, folder }: Upstream): Promise<RunningProxy> {
  const port = await freePort();
  const text = replaceEach(readFileSync(BESIDE, 'utf8'), {
    '{\n\t# The path of a callback holds the token, so it is in no log.\n\tlog {': OF_TESTS,
    '\nbots.example.com {': `\nbots.example.com:${port} {\n\tbind 127.0.0.1`,
    '\nbotbell.example.com {': `\nbotbell.example.com:${port} {\n\tbind 127.0.0.1`,
    '127.0.0.1:8080 {': `127.0.0.1:${receiverPort} {`,
    '127.0.0.1:8081 {': `127.0.0.1:${adminPort} {`,
  });
  return { port, ...(await runCaddy(text, { [CALLBACK_HOST]: port, [ADMIN_HOST]: port }, folder)) };
}

/** As compose.yaml has it. @param names says where the replicas are, as Docker's name server does */
async function startOfCompose(
  { receiverPort, adminPort, folder }: Upstream,
  names: NameServer,
): Promise<RunningProxy> {
  const [port, page] = [await freePort(), await freePort()];
  const text = replaceEach(readFileSync(OF_COMPOSE, 'utf8'), {
    '{\n\t# The path of a callback holds the token.\n\tlog {': OF_TESTS,
    '\t\tname botbell': `\t\tname botbell.test.\n\t\tresolvers udp/127.0.0.1:${names.port}`,
    '\n{$BOTBELL_HOST:localhost} {': `\n{$BOTBELL_HOST:localhost}:${port} {\n\tbind 127.0.0.1`,
    'http://:8081 {': `https://botbell.example.com:${page} {\n\tbind 127.0.0.1`,
    'import replicas 8080': `import replicas ${receiverPort}`,
    'import replicas 8081': `import replicas ${adminPort}`,
  });
  const sites = { [CALLBACK_HOST]: port, [ADMIN_HOST]: page };
  const variables = { BOTBELL_HOST: CALLBACK_HOST };
  return { port, adminPort: page, ...(await runCaddy(text, sites, folder, variables)) };
}

/** @param sites the port of each */
async function runCaddy(
  text: string,
  sites: Readonly<Record<string, number>>,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
) {
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, text);
  const command = ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'];
  const caddy = await startProxyProcess(command, sites[CALLBACK_HOST] ?? 0, {
    ...variables,
    ...homeIn(folder),
  });
  // It listens before it has made its certificates.
  for (const [host, port] of Object.entries(sites))
    await until(`Caddy has a certificate for ${host}`, () => isServed(host, port));
  return { log: () => caddy.printed(), stop: () => caddy.stop() };
}

async function isServed(host: string, port: number): Promise<boolean> {
  try {
    await tlsRequest({ port, host, path: '/' });
    return true;
  } catch {
    return false;
  }
}

/** Answers with its address. */
async function startReplica(host: string, port: number): Promise<Server> {
  const replica = createServer((request, response) => {
    request.resume();
    response.end(host);
  });
  await once(replica.listen(port, host), 'listening');
  return replica;
}

async function closed(replica: Server | undefined): Promise<void> {
  replica?.close();
  replica?.closeAllConnections();
  if (replica?.listening === true) await once(replica, 'close');
}

/** Without a body: with one, Caddy up to 2.11.1 tries no other replica (caddyserver/caddy#7546). */
async function answersTo(posts: number, port: number): Promise<string[]> {
  const answers: string[] = [];
  for (let count = 0; count < posts; count += 1) {
    const answer = await tlsRequest({ port, host: CALLBACK_HOST, path: '/callbacks/token', body: '' });
    answers.push(answer.body);
  }
  return answers;
}

function homeIn(folder: string): Record<string, string> {
  return { HOME: folder, XDG_DATA_HOME: join(folder, 'data'), XDG_CONFIG_HOME: join(folder, 'config') };
}

if (isInstalled('caddy', 'its configuration', ['version'])) {
  describe('A Caddyfile of deploy/', () => {
    for (const file of [BESIDE, OF_COMPOSE]) {
      it(`is formatted as Caddy has it: ${file.replace(DEPLOY, 'deploy')}`, () => {
        const { stdout } = spawnSync('caddy', ['fmt', file], { encoding: 'utf8' });
        expect(stdout).to.equal(readFileSync(file, 'utf8'));
      });
    }
  });

  describe('Caddy, as compose.yaml has it,', function () {
    this.timeout(30_000);

    it('shares callbacks among the replicas, and goes on with those that are left', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'botbell-replicas-'));
      const names = await startNameServer(REPLICAS);
      const port = await freePort();
      const replicas = await Promise.all(REPLICAS.map((address) => startReplica(address, port)));
      const caddy = await startOfCompose({ receiverPort: port, adminPort: port, folder }, names);
      try {
        expect(new Set(await answersTo(8, caddy.port))).to.deep.equal(new Set(REPLICAS));
        await closed(replicas[0]);
        expect(new Set(await answersTo(8, caddy.port))).to.deep.equal(new Set(REPLICAS.slice(1)));
      } finally {
        await caddy.stop();
        names.close();
        await closed(replicas[1]);
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });

  describeProxy('Caddy', startBeside);
  describeProxy('Caddy, as compose.yaml has it,', async (upstream) => {
    const names = await startNameServer([HERE]);
    const proxy = await startOfCompose(upstream, names);
    const stop = async () => {
      await proxy.stop();
      names.close();
    };
    return { ...proxy, stop };
  });
}
