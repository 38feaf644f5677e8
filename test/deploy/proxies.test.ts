/** The configurations of Caddy and nginx in deploy/, read by these programs themselves, in front of the built program. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Agent, request } from 'undici';
import { callback } from '../support/bridge-world.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';
import { serve, type ServeProcess } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { replaceEach } from '../support/replace-each.ts';
import { tempFolder } from '../support/temp-folder.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const CERTIFICATE = join(import.meta.dirname, '../fixtures/tls/remote.test');
const CADDYFILE = readFileSync(join(DEPLOY, 'Caddyfile'), 'utf8');
const NGINX = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8');

const TOKEN = 'PROXY-CALLBACK-SECRET-0123456789';
const PASSWORD = 'PROXY-ADMIN-SECRET';
const LOGIN = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const CALLBACK_HOST = 'bots.example.com';
const ADMIN_HOST = 'botbell.example.com';

/** The job service's address, the only one that the config lets in; everybody else is on this machine's usual one. */
const SERVICE = '127.0.0.5';
const OTHER = '127.0.0.1';

const MB = 1_000_000;

/** Ports, and the folder for what the proxy writes. */
type Upstream = Readonly<{ receiver: number; admin: number; folder: string }>;

interface Program {
  readonly command: readonly [string, ...string[]];
  readonly variables?: Readonly<Record<string, string>>;
  /** Files that it may write, beside what it prints. */
  readonly logs: readonly string[];
}

type Asked = Partial<{ method: 'GET' | 'POST'; headers: Record<string, string>; body: string; from: string }>;

/** On a connection of its own. @throws {Error} no answer */
async function askAt(port: number, host: string, path: string, { from = OTHER, body, ...more }: Asked = {}) {
  const dispatcher = new Agent({ localAddress: from, connect: { rejectUnauthorized: false } });
  const { method = body === undefined ? 'GET' : 'POST', headers } = more;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const asked = { dispatcher, method, headers: { host: `${host}:${port}`, ...type, ...headers }, body };
  try {
    const answer = await request(`https://127.0.0.1:${port}${path}`, asked);
    const { statusCode: status } = answer;
    return { status, type: answer.headers['content-type'], body: await answer.body.text() };
  } finally {
    await dispatcher.destroy();
  }
}

function caddy({ receiver, admin, folder }: Upstream, port: number): Program {
  const file = join(folder, 'Caddyfile');
  const settings =
    'local_certs skip_install_trust auto_https·disable_redirects admin·off default_bind·127.0.0.1';
  const lines = settings.split(' ').map((line) => `\t${line.replace('·', ' ')}\n`);
  writeFileSync(file, replaceEach(CADDYFILE, { '{\n\t# The path': `{\n${lines.join('')}\t# The path` }));
  const sites = { CALLBACK_SITE: `${CALLBACK_HOST}:${port}`, PAGE_SITE: `${ADMIN_HOST}:${port}` };
  const upstreams = { RECEIVER: `127.0.0.1:${receiver}`, ADMIN: `127.0.0.1:${admin}` };
  const [XDG_DATA_HOME, XDG_CONFIG_HOME] = [join(folder, 'data'), join(folder, 'config')];
  const variables = { ...sites, ...upstreams, HOME: folder, XDG_DATA_HOME, XDG_CONFIG_HOME };
  return { command: ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'], variables, logs: [] };
}

/** Where Debian's nginx looks for `/etc/nginx/conf.d/*.conf`, with nothing that is not needed. */
function nginx({ receiver, admin, folder }: Upstream, port: number): Program {
  const [main, part] = [join(folder, 'nginx.conf'), join(folder, 'botbell.conf')];
  const text = replaceEach(NGINX, {
    '  listen [::]:443 ssl;\n': '',
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    [`/etc/ssl/${CALLBACK_HOST}.pem`]: `${CERTIFICATE}.crt`,
    [`/etc/ssl/${CALLBACK_HOST}.key`]: `${CERTIFICATE}.key`,
    [`/etc/ssl/${ADMIN_HOST}.pem`]: `${CERTIFICATE}.crt`,
    [`/etc/ssl/${ADMIN_HOST}.key`]: `${CERTIFICATE}.key`,
    '127.0.0.1:8080': `127.0.0.1:${receiver}`,
    '127.0.0.1:8081': `127.0.0.1:${admin}`,
    '/var/log/nginx/botbell.log': join(folder, 'botbell.log'),
  });
  writeFileSync(part, text);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const whole = `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'error.log')} info;
events {}
http {
  access_log ${join(folder, 'access.log')};
  ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n  ')}
  include ${part};
}
`;
  writeFileSync(main, whole);
  const logs = ['error.log', 'access.log', 'botbell.log'].map((name) => join(folder, name));
  return { command: ['nginx', '-p', folder, '-c', main], logs };
}

/** Runs it until it serves both sites, for which Caddy makes certificates first. */
async function start({ command: [command, ...args], variables, logs }: Program, port: number) {
  const child = spawn(command, args, { env: { ...process.env, ...variables } });
  const exit = once(child, 'exit');
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const isServed = (host: string) =>
    askAt(port, host, '/').then(
      () => true,
      () => false,
    );
  await until(`${command} serves`, async () => {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${printed}`);
    return (await isServed(CALLBACK_HOST)) && (await isServed(ADMIN_HOST));
  });
  const written = () => logs.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
  return {
    log: () => [printed, ...written()].join('\n'),
    stop: async () => {
      child.kill('SIGTERM');
      await exit;
    },
  };
}

/** Whoever is still sending when it is refused may find its connection closed before it has read why. */
const CUT_OFF = 'cut off';

async function statusOf(answer: ReturnType<typeof askAt>): Promise<number | typeof CUT_OFF> {
  try {
    return (await answer).status;
  } catch (error) {
    if (['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return CUT_OFF;
    throw error;
  }
}

/** As JSON, of at least so many bytes. */
const bodyOf = (bytes = 0): string => JSON.stringify(callback({ message: 'x'.repeat(bytes) }));

function describeProxy(name: string, program: (upstream: Upstream, port: number) => Program): void {
  describe(`${name} in front of Botbell`, () => {
    let botbell: ServeProcess;
    let proxy: Awaited<ReturnType<typeof start>>;
    let port: number;

    const post = (body: string, { from = SERVICE, ...more }: Asked = {}) =>
      askAt(port, CALLBACK_HOST, `/callbacks/${TOKEN}`, { body, from, ...more });
    const askPage = (path: string, { headers, ...more }: Asked = {}) =>
      askAt(port, ADMIN_HOST, path, { headers: { authorization: LOGIN, ...headers }, ...more });

    before(async () => {
      const folder = tempFolder();
      const config = join(folder, 'botbell.yaml');
      writeFileSync(
        config,
        `
receiver: { listen: '127.0.0.1:0', token: '${TOKEN}', trust_proxy: true, allow_from: [${SERVICE}] }
admin: { listen: '127.0.0.1:0', password: '${PASSWORD}', hosts: [${ADMIN_HOST}], trust_proxy: true }
store: { url: 'sqlite:${join(folder, 'botbell.db')}' }
channels: { slack: { type: outbox, as: slack } }
default_route: { notify: [{ slack: '#ops' }] }
`,
      );
      botbell = await serve(config);
      const portOf = (url: string) => Number(new URL(url.replace('<token>', 'token')).port);
      port = await freePort();
      const ports = { receiver: portOf(botbell.callbacksUrl), admin: portOf(botbell.adminUrl) };
      proxy = await start(program({ ...ports, folder }, port), port);
    });

    after(async () => {
      await proxy.stop();
      botbell.kill('SIGKILL');
      await botbell.exited();
    });

    it('hands on callbacks, whose sender is the one that has connected to it', async () => {
      expect(await post(bodyOf())).to.include({ status: 200 });
      const headers = { 'x-forwarded-for': SERVICE, forwarded: `for=${SERVICE}`, 'x-real-ip': SERVICE };
      const forged = await post(bodyOf(), { from: OTHER, headers });
      expect(forged).to.include({ status: 403, type: 'application/problem+json' });
      const refused = () => botbell.log().match(/^.*"http":403.*$/m)?.[0];
      await until('Botbell logs whom it has turned away', () => refused() !== undefined);
      expect(JSON.parse(refused() ?? '')).to.include({ from: OTHER });
    });

    it('takes every body that Botbell takes, leaves it to Botbell to refuse one that is a little too large, and refuses a huge one', async () => {
      expect(await statusOf(post(bodyOf(7.9 * MB)))).to.equal(200);
      expect(await statusOf(post(bodyOf(9 * MB)))).to.be.oneOf([413, CUT_OFF]);
      await until('the page lists it', async () =>
        (await askPage('/api/refused')).body.includes('"status":413'),
      );
      // Caddy says 502 where it cuts the body off before Botbell has refused it.
      expect(await statusOf(post(bodyOf(12 * MB)))).to.be.oneOf([413, 502, CUT_OFF]);
    });

    it('hands on nothing but callbacks at their address', async () => {
      for (const path of ['/', '/healthz', '/metrics', '/api/callbacks'])
        expect(await askAt(port, CALLBACK_HOST, path), path).to.include({ status: 404 });
    });

    it('serves the page, and what is done on it', async () => {
      expect(await askPage('/')).to.include({ status: 200, type: 'text/html; charset=utf-8' });
      expect(await askPage('/', { headers: { authorization: '' } })).to.include({ status: 401 });
      const headers = { origin: `https://${ADMIN_HOST}:${port}` };
      expect(await askPage('/-/reload', { method: 'POST', headers })).to.include({ status: 200 });
    });

    it('says a non-2xx while Botbell is gone, and never logs the token', async () => {
      expect(await askAt(port, CALLBACK_HOST, `/callbacks/${TOKEN}?a=b`)).to.include({ status: 403 });
      for (const slip of ['//callbacks/', '/callbacks//', '/callbacks%2F', '/CALLBACKS/', '/callback/', '/'])
        expect((await askAt(port, CALLBACK_HOST, slip + TOKEN)).status, slip).to.be.oneOf([403, 404]);
      botbell.kill('SIGKILL');
      await botbell.exited();
      expect((await post(bodyOf())).status).to.be.oneOf([502, 503]);
      expect(botbell.log()).not.to.include(TOKEN);
      expect(proxy.log()).not.to.include(TOKEN);
      expect(proxy.log(), 'its log names who has posted').to.include(SERVICE);
    });
  });
}

if (isInstalled('caddy', 'its configuration', ['version'])) {
  it('The Caddyfile is formatted as Caddy has it', () => {
    const { stdout } = spawnSync('caddy', ['fmt', join(DEPLOY, 'Caddyfile')], { encoding: 'utf8' });
    expect(stdout).to.equal(CADDYFILE);
  });
  describeProxy('Caddy', caddy);
}
if (isInstalled('nginx', 'its configuration', ['-v'])) describeProxy('nginx', nginx);
