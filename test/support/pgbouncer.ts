/** A real PgBouncer, if one is installed; in transaction pooling, each transaction may get another session. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { unprivilegedAccount } from './postgres-server.ts';
import { until } from './proof-wait.ts';
import { tempFolder } from './temp-folder.ts';

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

export async function startPgBouncer(postgresUrl: string, poolMode = 'transaction') {
  const folder = tempFolder();
  const port = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(config, settings(Number(new URL(postgresUrl).port), port, poolMode));
  writeFileSync(join(folder, 'users.txt'), '"postgres" ""\n');
  const account = unprivilegedAccount();
  if (account !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(folder, account.uid, account.gid);
  }
  const pooler = spawn('pgbouncer', [config], { cwd: folder, stdio: 'ignore', ...account });
  /** The URL of the same database through the pooler. */
  const urlThrough = (url: string) => {
    const through = new URL(url);
    through.port = String(port);
    return through.href;
  };
  await until('PgBouncer listens', () => answers(urlThrough(postgresUrl)));
  return { urlThrough, close: () => end(pooler) };
}

/** Few sessions, so that they go from one client to another all the time. */
function settings(postgresPort: number, port: number, poolMode: string): string {
  return `[databases]
* = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = users.txt
pool_mode = ${poolMode}
default_pool_size = 3
max_client_conn = 100
server_round_robin = 1
`;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function end(pooler: ChildProcess): Promise<void> {
  if (pooler.exitCode !== null || pooler.signalCode !== null) return;
  const exited = once(pooler, 'exit');
  pooler.kill('SIGTERM');
  await exited;
}
