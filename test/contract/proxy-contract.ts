/** What holds of any reverse proxy that Botbell comes with a configuration for, in front of the built program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { serve, type ServeProcess } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { type TlsAnswer, tlsRequest } from '../support/tls-request.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TOKEN = 'PROXY-CALLBACK-SECRET-0123456789';
const PASSWORD = 'PROXY-ADMIN-SECRET';
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;

export const CALLBACK_HOST = 'bots.example.com';
export const ADMIN_HOST = 'botbell.example.com';

/** The job service's address, the only one that the config lets in; everybody else is on this machine's usual one. */
const SERVICE = '127.0.0.5';
const OTHER = '127.0.0.1';

const MB = 1_000_000;

export interface Upstream {
  readonly receiverPort: number;
  readonly adminPort: number;
  /** For what the proxy writes. */
  readonly folder: string;
}

export interface RunningProxy {
  /** Of TLS. */
  readonly port: number;
  /** Where the page is served; the other one's where it is left out. */
  readonly adminPort?: number;
  /** Everything that it has logged so far, in whatever file. */
  log(): string;
  stop(): Promise<void>;
}

export function describeProxy(name: string, start: (upstream: Upstream) => Promise<RunningProxy>): void {
  describe(`${name} in front of Botbell`, () => {
    let folder: string;
    let botbell: ServeProcess;
    let proxy: RunningProxy;

    before(async () => {
      folder = tempFolder();
      const config = join(folder, 'botbell.yaml');
      writeFileSync(config, configIn(folder));
      botbell = await serve(config, { CALLBACK_TOKEN: TOKEN, ADMIN_PASSWORD: PASSWORD });
      const upstream = { receiverPort: portOf(botbell.callbacksUrl), adminPort: portOf(botbell.adminUrl) };
      proxy = await start({ ...upstream, folder });
    });

    after(async () => {
      await proxy.stop();
      botbell.kill('SIGKILL');
      await botbell.exited();
    });

    const post = (body: string, from = SERVICE, headers: Record<string, string> = {}): Promise<TlsAnswer> =>
      tlsRequest({ port: proxy.port, host: CALLBACK_HOST, path: `/callbacks/${TOKEN}`, body, from, headers });

    const askPage = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      tlsRequest({
        port: proxy.adminPort ?? proxy.port,
        host: ADMIN_HOST,
        path,
        method,
        headers: { authorization: AUTHORIZATION, ...headers },
      });

    it('hands on callbacks, whose sender is the one that has connected to it', async () => {
      expect(await post(callback('let-in'))).to.include({ status: 200 });
      const forged = await post(callback('kept-out'), OTHER, {
        'x-forwarded-for': SERVICE,
        forwarded: `for=${SERVICE}`,
        'x-real-ip': SERVICE,
      });
      expect(forged).to.include({ status: 403, type: 'application/problem+json' });
      const lines = () =>
        botbell
          .log()
          .split('\n')
          .filter((line) => line.includes('"http":403'));
      await until('Botbell logs whom it has turned away', () => lines().length > 0);
      expect(JSON.parse(lines()[0] ?? '')).to.include({ from: OTHER });
    });

    it('takes every body that Botbell takes', async () => {
      expect(await post(callback('large', 7.9 * MB))).to.include({ status: 200 });
    });

    it('leaves it to Botbell to refuse a body that is a little too large, so that the operators are told', async () => {
      expect(await statusOf(post(callback('too-large', 9 * MB)))).to.be.oneOf([413, CUT_OFF]);
      await until('the page lists it', async () => {
        const { body } = await askPage('/api/refused');
        return (JSON.parse(body) as { items: { status: number }[] }).items.some(
          ({ status }) => status === 413,
        );
      });
    });

    it('refuses a huge body', async () => {
      // Caddy says 502 where it cuts the body off before Botbell has refused it.
      expect(await statusOf(post(callback('huge', 12 * MB)))).to.be.oneOf([413, 502, CUT_OFF]);
    });

    it('hands on nothing but callbacks at their address', async () => {
      for (const path of ['/', '/healthz', '/metrics', '/api/callbacks'])
        expect(await tlsRequest({ port: proxy.port, host: CALLBACK_HOST, path }), path).to.include({
          status: 404,
        });
    });

    it('serves the page, and what is done on it', async () => {
      const page = await askPage('/');
      expect(page).to.include({ status: 200, type: 'text/html; charset=utf-8' });
      expect(await askPage('/', { authorization: '' })).to.include({ status: 401 });
      const origin = `https://${ADMIN_HOST}:${proxy.adminPort ?? proxy.port}`;
      const done = await askPage('/-/reload', { origin, 'content-length': '0' }, 'POST');
      expect(done).to.include({ status: 200 });
    });

    it('says a non-2xx while Botbell is gone, and never logs the token', async () => {
      expect(
        await tlsRequest({ port: proxy.port, host: CALLBACK_HOST, path: `/callbacks/${TOKEN}?a=b` }),
      ).to.include({ status: 403 });
      botbell.kill('SIGKILL');
      await botbell.exited();
      expect((await post(callback('nobody-there'))).status).to.be.oneOf([502, 503]);
      expect(botbell.log()).not.to.include(TOKEN);
      expect(proxy.log()).not.to.include(TOKEN);
      expect(proxy.log(), 'its log names who has posted').to.include(SERVICE);
    });
  });
}

function configIn(folder: string): string {
  return `
receiver: { listen: '127.0.0.1:0', token: '\${CALLBACK_TOKEN}', trust_proxy: true, allow_from: [${SERVICE}] }
admin: { listen: '127.0.0.1:0', password: '\${ADMIN_PASSWORD}', hosts: [${ADMIN_HOST}], trust_proxy: true }
store: { url: 'sqlite:${join(folder, 'botbell.db')}' }
channels: { slack: { type: outbox, as: slack } }
default_route: { notify: [{ slack: '#ops' }] }
`;
}

function portOf(url: string): number {
  return Number(new URL(url.replace('<token>', 'token')).port);
}

/** Whoever is still sending when it is refused may find its connection closed before it has read why. */
const CUT_OFF = 'cut off';

async function statusOf(answer: Promise<TlsAnswer>): Promise<number | typeof CUT_OFF> {
  try {
    return (await answer).status;
  } catch (error) {
    if (['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')) return CUT_OFF;
    throw error;
  }
}

/** As JSON, of at least so many bytes. */
function callback(jobId: string, bytes = 0): string {
  const told = { code: 500, job_id: jobId, bot_id: 'report', bot_name: 'Report', status: 1 };
  const run = { start_time: '2026-11-20T09:00:00+09:00', elapsed_time: 12 };
  return JSON.stringify({ ...told, ...run, message: 'x'.repeat(bytes) });
}
