/** The callbacks of the load: 1 KB of JSON each, numbered, so that a stand-in can tell which one a message is of. */

/** What the product's routes name. */
export const BOT_ID = 'bench';

const BYTES = 1024;

/** The stand-ins look for `job-` and seven digits. */
const NUMBER = '0000000';

export interface Batch {
  /** The number of the first callback, and the number after the last one. */
  readonly from: number;
  readonly to: number;
  readonly bodies: readonly Buffer[];
}

const TEMPLATE = templateWith(BYTES - Buffer.byteLength(templateWith(0)));

let next = 1;

/**
 * Written before the clock starts: the load has nothing to do but to send them.
 * @param jobOf the id of each one's job; without it, each has one of its own
 */
export function writeCallbacks(count: number, jobOf?: (index: number) => string): Batch {
  const from = next;
  next += count;
  const bodies = Array.from({ length: count }, (_, index) => bodyOf(from + index, jobOf?.(index)));
  return { from, to: next, bodies };
}

/** Every callback written so far. */
export function allCallbacks(): Pick<Batch, 'from' | 'to'> {
  return { from: 1, to: next };
}

/** One that is never sent. */
export function sampleCallback(): string {
  return TEMPLATE;
}

function bodyOf(number: number, jobId: string | undefined): Buffer {
  const text = TEMPLATE.replaceAll(NUMBER, String(number).padStart(NUMBER.length, '0'));
  return Buffer.from(jobId === undefined ? text : text.replace(/"job_id":"[^"]*"/, `"job_id":"${jobId}"`));
}

/** The name has the number too, since the bare programs' message says no more than the name. */
function templateWith(filling: number): string {
  return JSON.stringify({
    code: 200,
    job_id: `job-${NUMBER}`,
    bot_id: BOT_ID,
    bot_name: `商品取得BOT job-${NUMBER}`,
    status: 0,
    start_time: '2026-11-20T09:00:00+09:00',
    elapsed_time: 75,
    output: {
      件数: '2',
      商品: [
        { 商品名: 'チーズケーキ', 価格: '500', タグ: ['ケーキ', 'チーズ'] },
        { 商品名: 'ガトーショコラ', 価格: '600', タグ: ['ケーキ', 'チョコ'] },
      ],
      概要: 'x'.repeat(filling),
      一覧: {
        type: 'files',
        files: [
          { ref: 'jobs/1/files/1', meta: { name: '一覧.xlsx', size: 603956, timestamp: 1795132875000 } },
        ],
      },
    },
  });
}
