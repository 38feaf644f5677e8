/** The Caddyfiles of deploy/, read by Caddy itself. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CALLBACK_HOST, describeProxy } from '../contract/proxy-contract.ts';
import { BESIDE, OF_COMPOSE, startCaddyBeside, startCaddyOfCompose } from '../support/caddy.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';
import { startNameServer } from '../support/name-server.ts';
import { tlsRequest } from '../support/tls-request.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');

const HERE = '127.0.0.1';
const REPLICAS = [HERE, '127.0.0.2'];

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

if (isInstalled('caddy', 'its configuration', ['version'])) {
  describe('A Caddyfile of deploy/', () => {
    for (const file of [BESIDE, OF_COMPOSE]) {
      it(`is formatted as Caddy has it: ${file.replace(DEPLOY, 'deploy')}`, () => {
        const { stdout } = spawnSync('caddy', ['fmt', file], { encoding: 'utf8' });
        expect(stdout).to.equal(readFileSync(file, 'utf8'));
      });
    }
  });

  describe('Caddy, as compose.yaml has it,', () => {
    it('shares callbacks among the replicas, and goes on with those that are left', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'botbell-replicas-'));
      const names = await startNameServer(REPLICAS);
      const port = await freePort();
      const replicas = await Promise.all(REPLICAS.map((address) => startReplica(address, port)));
      const caddy = await startCaddyOfCompose({ receiverPort: port, adminPort: port, folder }, names);
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

  describeProxy('Caddy', startCaddyBeside);
  describeProxy('Caddy, as compose.yaml has it,', async (upstream) => {
    const names = await startNameServer([HERE]);
    const proxy = await startCaddyOfCompose(upstream, names);
    const stop = async () => {
      await proxy.stop();
      names.close();
    };
    return { ...proxy, stop };
  });
}
