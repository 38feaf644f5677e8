/** The service's side: callbacks posted as fast as they are answered, or at a fixed rate whatever the answers take. */
import { Pool } from 'undici';

let serial = 0;

/** About 1 KB of JSON, each of a job of its own. */
export function callbackBody(botId: string): string {
  serial += 1;
  return JSON.stringify({
    code: 200,
    job_id: `job-${process.pid}-${serial}`,
    bot_id: botId,
    bot_name: '商品取得BOT',
    status: 0,
    start_time: '2026-11-20T09:00:00+09:00',
    elapsed_time: 75,
    output: {
      件数: '2',
      商品: [
        { 商品名: 'チーズケーキ', 価格: '500', タグ: ['ケーキ', 'チーズ'] },
        { 商品名: 'ガトーショコラ', 価格: '600', タグ: ['ケーキ', 'チョコ'] },
      ],
      概要: 'x'.repeat(300),
      一覧: {
        type: 'files',
        files: [
          { ref: 'jobs/1/files/1', meta: { name: '一覧.xlsx', size: 603956, timestamp: 1795132875000 } },
        ],
      },
    },
  });
}

export class Load {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #botId: string;

  constructor(url: string, botId: string) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections: 128, pipelining: 1 });
    this.#path = pathname;
    this.#botId = botId;
  }

  async post(): Promise<void> {
    const { statusCode, body } = await this.#pool.request({
      method: 'POST',
      path: this.#path,
      headers: { 'content-type': 'application/json' },
      body: callbackBody(this.#botId),
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
  }

  /** @returns callbacks answered per second */
  async saturate(count: number, concurrency: number): Promise<number> {
    const startedAt = performance.now();
    let left = count;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        await this.post();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return count / ((performance.now() - startedAt) / 1000);
  }

  /** Open loop: each latency counts from when the callback was due, so a stall is not hidden. @returns milliseconds, sorted */
  async atRate(perSecond: number, seconds: number): Promise<number[]> {
    const count = perSecond * seconds;
    const startedAt = performance.now();
    const latencies: Promise<number>[] = [];
    for (let index = 0; index < count; index += 1) {
      const dueAt = startedAt + (index * 1000) / perSecond;
      const wait = dueAt - performance.now();
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
      latencies.push(this.post().then(() => performance.now() - dueAt));
    }
    return (await Promise.all(latencies)).sort((a, b) => a - b);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
