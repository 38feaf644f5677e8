/** The load's callbacks as JSON, each with a number by which a stand-in recognises its message. */

/** The BOT of all callbacks; a route of the product's config names it. */
export const BOT_ID = 'bench';

/** Default size of a callback. */
const BYTES = 1024;

/** Placeholder of a callback's number. The stand-ins look for `job-` and seven digits. */
const NUMBER = '0000000';

export interface Batch {
  /** The number of the first callback, and the number after the last one. */
  readonly from: number;
  readonly to: number;
  readonly bodies: readonly Buffer[];
}

const TEMPLATE = templateOf(BYTES);

let next = 1;

/** Writes the bodies before the clock starts, so that the load only sends them. @param bytes of each body */
export function writeCallbacks(count: number, bytes = BYTES): Batch {
  const from = next;
  next += count;
  const template = bytes === BYTES ? TEMPLATE : templateOf(bytes);
  const bodies = Array.from({ length: count }, (_, index) => bodyOf(template, from + index));
  return { from, to: next, bodies };
}

/** The numbers of all callbacks written so far. */
export function allCallbacks(): Pick<Batch, 'from' | 'to'> {
  return { from: 1, to: next };
}

/** A sample that does not count as written; its number is 0. */
export function sampleCallback(): string {
  return TEMPLATE;
}

function bodyOf(template: string, number: number): Buffer {
  return Buffer.from(template.replaceAll(NUMBER, String(number).padStart(NUMBER.length, '0')));
}

/** Fills the body up to `bytes` with table rows, and what is left with text. */
function templateOf(bytes: number): string {
  const row = Buffer.byteLength(templateWith(2, 0)) - Buffer.byteLength(templateWith(1, 0));
  const rows = 2 + Math.max(0, Math.floor((bytes - Buffer.byteLength(templateWith(2, 0)) - BYTES / 2) / row));
  return templateWith(rows, bytes - Buffer.byteLength(templateWith(rows, 0)));
}

/** The name contains the number too, since the bare programs' messages contain only the name. */
function templateWith(rows: number, filling: number): string {
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
      商品: Array.from({ length: rows }, () => ({
        商品名: 'チーズケーキ',
        価格: '500',
        タグ: ['ケーキ', 'チーズ'],
      })),
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
