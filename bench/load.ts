/** The load: posts callbacks as fast as they are answered, or at a fixed rate however long the answers take. */
import { Pool } from 'undici';
import type { Batch } from './callbacks.ts';
import { type Metronome, monotonicMs } from './metronome.ts';

const CONCURRENCY = 32;

/** Enough that the open loop never waits for a free connection. */
const CONNECTIONS = 128;

/** Time for the metronome's thread to get ready. */
const LEAD_MS = 20;

export class Load {
  readonly #targets: readonly { readonly pool: Pool; readonly path: string }[];
  #posted = 0;

  /** @param urls that take the callbacks in turns */
  constructor(...urls: readonly string[]) {
    this.#targets = urls.map((url) => {
      const { origin, pathname: path } = new URL(url);
      return { pool: new Pool(origin, { connections: CONNECTIONS, pipelining: 1 }), path };
    });
  }

  /** @throws {Error} any answer but 200 */
  async post(callback: Buffer | undefined): Promise<void> {
    const target = this.#targets[this.#posted++ % this.#targets.length];
    if (target === undefined) throw new Error('there is no URL to post to');
    const { statusCode, body } = await target.pool.request({
      method: 'POST',
      path: target.path,
      headers: { 'content-type': 'application/json' },
      body: callback ?? null,
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
  }

  /** @returns callbacks answered per second */
  async saturate({ bodies }: Batch): Promise<number> {
    const startedAt = performance.now();
    let taken = 0;
    const sender = async () => {
      while (taken < bodies.length) {
        taken += 1;
        await this.post(bodies[taken - 1]);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, sender));
    return bodies.length / ((performance.now() - startedAt) / 1000);
  }

  /** Open loop: each latency counts from when the callback was due, so a stall is not hidden. @returns milliseconds */
  async atRate({ bodies }: Batch, perSecond: number, metronome: Metronome): Promise<number[]> {
    const beat = { startMs: monotonicMs() + LEAD_MS, intervalMs: 1000 / perSecond, count: bodies.length };
    const latencies: Promise<number>[] = [];
    const latencyOf = async (index: number) => {
      await this.post(bodies[index]);
      return monotonicMs() - (beat.startMs + index * beat.intervalMs);
    };
    await metronome.beat(beat, (index) => latencies.push(latencyOf(index)));
    return Promise.all(latencies);
  }

  async close(): Promise<void> {
    await Promise.all(this.#targets.map(({ pool }) => pool.close()));
  }
}
