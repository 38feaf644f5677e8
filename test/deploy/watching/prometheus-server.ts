/** A real Prometheus on loopback, with its data in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { until } from '../../support/proof-wait.ts';

export interface PrometheusServer {
  /** What an expression gives now: samples of a vector. @throws {Error} it is refused */
  query(expression: string): Promise<readonly QueriedSample[]>;
  /** The data of an answer of its API. */
  get<Data>(path: string): Promise<Data>;
  close(): Promise<void>;
}

export interface QueriedSample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** @param files by their names; `prometheus.yml` is its config */
export async function startPrometheus(files: Readonly<Record<string, string>>): Promise<PrometheusServer> {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-prometheus-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exit = once(child, 'exit');
  const origin = await listening(child);
  const get = async <Data>(path: string) => {
    const { body } = await request(`${origin}${path}`);
    const answer = (await body.json()) as { status: string; error?: string; data: Data };
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`);
    return answer.data;
  };
  return {
    get,
    async query(expression) {
      const path = `/api/v1/query?query=${encodeURIComponent(expression)}`;
      return (await get<{ result: readonly QueriedSample[] }>(path)).result;
    },
    async close() {
      child.kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @throws {Error} with its log, where it does not come up */
async function listening(child: ChildProcess): Promise<string> {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const address = () => /msg="Listening on" address=(\S+)/.exec(log)?.[1];
  await until('Prometheus', () => {
    if (child.exitCode !== null) throw new Error(log);
    return address() !== undefined && log.includes('Server is ready');
  });
  return `http://${address()}`;
}
