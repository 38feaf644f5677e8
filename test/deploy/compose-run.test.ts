/** What compose.yaml starts, without Docker: its Caddy in front of two replicas with its config, over one PostgreSQL. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CALLBACK_HOST, type RunningProxy } from '../contract/proxy-contract.ts';
import { startCaddyOfCompose } from '../support/caddy.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { serve, type ServeProcess } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { replaceEach } from '../support/replace-each.ts';
import { type TlsAnswer, tlsRequest } from '../support/tls-request.ts';

const ROOT = join(import.meta.dirname, '../..');
const SHIPPED = readFileSync(join(ROOT, 'deploy/container/config/botbell.yaml'), 'utf8');
const SAMPLE = readFileSync(join(ROOT, 'config/samples/error.json'));

const REPLICAS = ['127.0.0.1', '127.0.0.2'];
const TOKEN = 'COMPOSE-CALLBACK-SECRET-0123456789';
const SECRETS = { callback_token: TOKEN, admin_password: 'COMPOSE-ADMIN-SECRET' };

interface Ports {
  readonly receiver: number;
  readonly admin: number;
}

function configOf(replica: string, { receiver, admin }: Ports, storeUrl: string, secrets: string): string {
  return replaceEach(SHIPPED, {
    '0.0.0.0:8080': `${replica}:${receiver}`,
    '0.0.0.0:8081': `${replica}:${admin}`,
    'postgres://botbell:${file:/run/secrets/postgres_password}@postgres/botbell': storeUrl,
    "{ type: slack, token: '${file:/run/secrets/slack_token}' }": '{ type: outbox, as: slack }',
    '/run/secrets/': `${secrets}/`,
  });
}

if (isInstalled('caddy', 'what compose.yaml starts', ['version'])) {
  describe('What compose.yaml starts', () => {
    let folder: string;
    let postgres: PostgresServer;
    let names: NameServer;
    let proxy: RunningProxy;
    let replicas: ServeProcess[];

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'botbell-compose-'));
      const secrets = join(folder, 'secrets');
      mkdirSync(secrets);
      for (const [name, secret] of Object.entries(SECRETS)) writeFileSync(join(secrets, name), `${secret}\n`);
      postgres = await startPostgres();
      const storeUrl = await postgres.createDatabase();
      const ports = { receiver: await freePort(), admin: await freePort() };
      replicas = await Promise.all(
        REPLICAS.map((replica) => {
          const file = join(folder, `${replica}.yaml`);
          writeFileSync(file, configOf(replica, ports, storeUrl, secrets));
          return serve(file);
        }),
      );
      names = await startNameServer(REPLICAS);
      proxy = await startCaddyOfCompose(
        { receiverPort: ports.receiver, adminPort: ports.admin, folder },
        names,
      );
    });

    after(async () => {
      await proxy.stop();
      names.close();
      for (const replica of replicas) replica.kill('SIGKILL');
      await Promise.all(replicas.map((replica) => replica.exited()));
      await postgres.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const post = (): Promise<TlsAnswer> =>
      tlsRequest({ port: proxy.port, host: CALLBACK_HOST, path: `/callbacks/${TOKEN}`, body: SAMPLE });

    it('tells once of a callback that comes again, to whichever replica', async () => {
      const results: string[] = [];
      for (let count = 0; count < 4; count += 1)
        results.push((JSON.parse((await post()).body) as { result: string }).result);
      expect(results).to.deep.equal(['delivered', 'duplicate', 'duplicate', 'duplicate']);
      const answeredBy = (replica: ServeProcess) => replica.log().includes('"msg":"callback"');
      await until('both replicas have answered', () => replicas.every(answeredBy));
      expect(replicas.filter((replica) => replica.stdout().includes('#bot-alerts'))).to.have.length(1);
    });
  });
}
