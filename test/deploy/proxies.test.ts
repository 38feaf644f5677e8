/** The configurations of Caddy and nginx in deploy/, read by these programs themselves. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
import { until } from '../support/proof-wait.ts';
import { startProxyProcess } from '../support/proxy-process.ts';
import { replaceEach } from '../support/replace-each.ts';
import { createCertificate, tlsRequest } from '../support/tls-request.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const CADDYFILE = readFileSync(join(DEPLOY, 'Caddyfile'), 'utf8');
const NGINX = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8');

/** Nothing outside its folder. */
const OF_TESTS =
  '{\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n\tadmin off\n\tdefault_bind 127.0.0.1\n';

async function startCaddy({ receiverPort, adminPort, folder }: Upstream): Promise<RunningProxy> {
  const port = await freePort();
  const file = join(folder, 'Caddyfile');
  const globals = '{\n\t# The path of a callback holds';
  writeFileSync(file, replaceEach(CADDYFILE, { [globals]: `${OF_TESTS}\t# The path of a callback holds` }));
  const caddy = await startProxyProcess(['caddy', 'run', '--config', file, '--adapter', 'caddyfile'], port, {
    CALLBACK_SITE: `${CALLBACK_HOST}:${port}`,
    PAGE_SITE: `${ADMIN_HOST}:${port}`,
    RECEIVER: `127.0.0.1:${receiverPort}`,
    ADMIN: `127.0.0.1:${adminPort}`,
    HOME: folder,
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  });
  // It listens before it has made its certificates.
  for (const host of [CALLBACK_HOST, ADMIN_HOST])
    await until(`Caddy has a certificate for ${host}`, () => isServed(host, port));
  return { port, log: () => caddy.printed(), stop: () => caddy.stop() };
}

async function isServed(host: string, port: number): Promise<boolean> {
  try {
    await tlsRequest({ port, host, path: '/' });
    return true;
  } catch {
    return false;
  }
}

/** Where Debian's nginx looks for `/etc/nginx/conf.d/*.conf`, with nothing that is not needed. */
function wholeConfig(folder: string, part: string): string {
  const written = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const folders = written.map((name) => `${name}_temp_path ${join(folder, name)};`);
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'error.log')} info;
events {}
http {
  access_log ${join(folder, 'access.log')};
  ${folders.join('\n  ')}
  include ${part};
}
`;
}

async function startNginx({ receiverPort, adminPort, folder }: Upstream): Promise<RunningProxy> {
  const port = await freePort();
  const { file, keyFile } = createCertificate(folder, CALLBACK_HOST, ADMIN_HOST);
  const part = join(folder, 'botbell.conf');
  const text = replaceEach(NGINX, {
    '  listen [::]:443 ssl;\n': '',
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '/etc/ssl/bots.example.com.pem': file,
    '/etc/ssl/bots.example.com.key': keyFile,
    '/etc/ssl/botbell.example.com.pem': file,
    '/etc/ssl/botbell.example.com.key': keyFile,
    '127.0.0.1:8080': `127.0.0.1:${receiverPort}`,
    '127.0.0.1:8081': `127.0.0.1:${adminPort}`,
    '/var/log/nginx/botbell.log': join(folder, 'botbell.log'),
  });
  writeFileSync(part, text);
  const main = join(folder, 'nginx.conf');
  writeFileSync(main, wholeConfig(folder, part));
  const nginx = await startProxyProcess(['nginx', '-p', folder, '-c', main], port);
  const logs = ['error.log', 'access.log', 'botbell.log'].map((name) => join(folder, name));
  const logged = () => logs.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
  return { port, log: () => [nginx.printed(), ...logged()].join('\n'), stop: () => nginx.stop() };
}

if (isInstalled('caddy', 'its configuration', ['version'])) {
  it('The Caddyfile is formatted as Caddy has it', () => {
    const { stdout } = spawnSync('caddy', ['fmt', join(DEPLOY, 'Caddyfile')], { encoding: 'utf8' });
    expect(stdout).to.equal(CADDYFILE);
  });
  describeProxy('Caddy', startCaddy);
}
if (isInstalled('nginx', 'its configuration', ['-v']) && isInstalled('openssl', 'TLS in front', ['version']))
  describeProxy('nginx', startNginx);
