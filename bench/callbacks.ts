/** The load's callbacks as JSON, each with a number by which a stand-in recognises its message. */

/** Default size of a callback. */
export const SMALL_BYTES = 1024;

/** Placeholder of a callback's number. The stand-ins look for `job-` and seven digits. */
const NUMBER = '0000000';

export interface Batch {
  /** The number of the first callback, and the number after the last one. */
  readonly from: number;
  readonly to: number;
  readonly bodies: readonly Buffer[];
}

/** The kinds of callbacks that follow one another: so many BOTs, of eight names, and in eight one error and one start. */
const KINDS = 16;
const STATUSES = [0, 0, 0, 1, 0, 2, 0, 0];
const NAMES = [
  '売上集計ボット',
  '請求書送付ボット',
  '在庫照合ボット',
  '勤怠チェック',
  '夜間バックアップ',
  '顧客データ同期',
  '経費精算ロボ',
  'レポート生成',
];

const templates = new Map<number, readonly string[]>();
let next = 1;

/** Writes the bodies before the clock starts, so that the load only sends them. @param bytes of each body, about */
export function writeCallbacks(count: number, bytes = SMALL_BYTES): Batch {
  const from = next;
  next += count;
  const kinds = templates.get(bytes) ?? Array.from({ length: KINDS }, (_, kind) => templateOf(kind, bytes));
  templates.set(bytes, kinds);
  const bodies = Array.from({ length: count }, (_, index) =>
    bodyOf(kinds[index % KINDS] ?? '', from + index),
  );
  return { from, to: next, bodies };
}

/** The numbers of all callbacks written so far. */
export function allCallbacks(): Pick<Batch, 'from' | 'to'> {
  return { from: 1, to: next };
}

/** A sample that does not count as written; its number is 0. */
export function sampleCallback(): string {
  return templateOf(0, SMALL_BYTES);
}

function bodyOf(template: string, number: number): Buffer {
  return Buffer.from(template.replaceAll(NUMBER, String(number).padStart(NUMBER.length, '0')));
}

/** Fills the output with lines of a log, as a BOT prints them. */
function templateOf(kind: number, bytes: number): string {
  const room = bytes - Buffer.byteLength(templateWith(kind, ''));
  const line = (index: number) =>
    `2026-11-20T09:00:01+09:00 INFO 行 ${index}: 取引先「株式会社サンプル」の明細を処理しました rows=128 ok\n`;
  const lines = Math.max(0, Math.floor(room / (Buffer.byteLength(line(100)) + 1)));
  return templateWith(kind, Array.from({ length: lines }, (_, index) => line(index + 1)).join(''));
}

function templateWith(kind: number, result: string): string {
  const status = STATUSES[kind % STATUSES.length];
  const number = String(kind).padStart(2, '0');
  return JSON.stringify({
    code: status === 1 ? 500 : 200,
    job_id: `job-${NUMBER}`,
    bot_id: `bot-${number}`,
    bot_name: `${NAMES[kind % NAMES.length]} ${number}号`,
    status,
    start_time: '2026-11-20T09:00:00+09:00',
    elapsed_time: 12 + kind,
    output: { result },
    message: '処理が完了しました（確認のうえ、必要なら再実行してください）',
  });
}
