/** deploy/proxies/nginx.conf, read by nginx itself. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeProxy, type RunningProxy, type Upstream } from '../contract/proxy-contract.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';
import { startProxyProcess } from '../support/proxy-process.ts';
import { replaceEach } from '../support/replace-each.ts';
import { createCertificate } from '../support/tls-request.ts';

const SHIPPED = readFileSync(join(import.meta.dirname, '../../deploy/proxies/nginx.conf'), 'utf8');

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
  const { file, keyFile } = createCertificate(folder, 'bots.example.com', 'botbell.example.com');
  const part = join(folder, 'botbell.conf');
  const text = replaceEach(SHIPPED, {
    '  listen [::]:443 ssl;\n': '',
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '/etc/ssl/bots.example.com.pem': file,
    '/etc/ssl/bots.example.com.key': keyFile,
    '/etc/ssl/botbell.example.com.pem': file,
    '/etc/ssl/botbell.example.com.key': keyFile,
    '127.0.0.1:8080': `127.0.0.1:${receiverPort}`,
    '127.0.0.1:8081': `127.0.0.1:${adminPort}`,
    '/var/log/nginx/': `${folder}/`,
  });
  writeFileSync(part, text);
  const main = join(folder, 'nginx.conf');
  writeFileSync(main, wholeConfig(folder, part));
  const nginx = await startProxyProcess(['nginx', '-p', folder, '-c', main], port);
  const logs = ['error.log', 'access.log', 'botbell.log'].map((name) => join(folder, name));
  return {
    port,
    log: () =>
      [
        nginx.printed(),
        ...logs.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8')),
      ].join('\n'),
    stop: () => nginx.stop(),
  };
}

if (isInstalled('nginx', 'its configuration', ['-v']) && isInstalled('openssl', 'TLS in front', ['version']))
  describeProxy('nginx', startNginx);
