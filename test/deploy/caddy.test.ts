/** The Caddyfiles of deploy/, read by Caddy itself. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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
import { startProxyProcess } from '../support/proxy-process.ts';
import { until } from '../support/proof-wait.ts';
import { replaceEach } from '../support/replace-each.ts';
import { tlsRequest } from '../support/tls-request.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const BESIDE = join(DEPLOY, 'proxies/Caddyfile');
const OF_COMPOSE = join(DEPLOY, 'container/Caddyfile');

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

/** As compose.yaml has it, but with replicas that are this machine under both of its names, one of which nobody answers to. */
async function startOfCompose({ receiverPort, adminPort, folder }: Upstream): Promise<RunningProxy> {
  const [port, page] = [await freePort(), await freePort()];
  const text = replaceEach(readFileSync(OF_COMPOSE, 'utf8'), {
    '{\n\t# The path of a callback holds the token.\n\tlog {': OF_TESTS,
    'name botbell': 'name localhost',
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

  describeProxy('Caddy', startBeside);
  describeProxy('Caddy, as compose.yaml has it,', startOfCompose);
}
