/** A real PgBouncer, if one is installed; in transaction pooling, each transaction may get another session. */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { end, execute, unprivilegedAccount } from './postgres-server.ts';
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
  const urlThrough = (url: string) => Object.assign(new URL(url), { port }).href;
  const answered = () => execute(urlThrough(postgresUrl), 'select 1').catch(() => undefined);
  await until('PgBouncer listens', async () => (await answered()) !== undefined);
  return { urlThrough, close: () => end(pooler, 'SIGTERM') };
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
