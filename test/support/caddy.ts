/** The Caddyfiles of deploy/, run by Caddy on loopback, with certificates of its own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN_HOST, CALLBACK_HOST, type RunningProxy, type Upstream } from '../contract/proxy-contract.ts';
import { freePort } from './free-port.ts';
import type { NameServer } from './name-server.ts';
import { until } from './proof-wait.ts';
import { startProxyProcess } from './proxy-process.ts';
import { replaceEach } from './replace-each.ts';
import { tlsRequest } from './tls-request.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
export const BESIDE = join(DEPLOY, 'proxies/Caddyfile');
export const OF_COMPOSE = join(DEPLOY, 'container/Caddyfile');

/** Nothing outside its folder. */
const OF_TESTS =
  '{\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n\tadmin off\n\tlog {';

/** As it stands beside one Botbell. */
export async function startCaddyBeside({ receiverPort, adminPort, folder }: Upstream): Promise<RunningProxy> {
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
export async function startCaddyOfCompose(
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

function homeIn(folder: string): Record<string, string> {
  return { HOME: folder, XDG_DATA_HOME: join(folder, 'data'), XDG_CONFIG_HOME: join(folder, 'config') };
}
