/** What the BOTs of a small office did in the last two weeks, and what went wrong meanwhile. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Asia/Tokyo has no daylight saving time. */
const TOKYO_MS = 9 * HOUR_MS;
const DAYS = 14;

/** Slack's own, for the attempts of one request; but a channel that was archived stays so. */
export interface Trouble {
  readonly kind: 'slack is down' | 'slack limits' | 'channel archived';
  readonly channel: string;
}

export interface Scene {
  /** When it is posted; milliseconds since the epoch. */
  readonly at: number;
  /** A callback, or the text of a body that is none. */
  readonly body: Readonly<Record<string, unknown>> | string;
  readonly trouble?: Trouble | undefined;
}

interface Bot {
  readonly id: string;
  readonly name: string;
  readonly seconds: number;
  /** It says, too, when it begins. */
  readonly isLong?: boolean;
  readonly output?: (seed: number) => unknown;
}

interface Routine extends Bot {
  /** When its runs begin; 7.5 is half past seven. */
  readonly hours: readonly number[];
  /** 13 is today; default: every day. */
  readonly days?: readonly number[];
  /** By the day. */
  readonly errors?: Readonly<Record<number, string>>;
  readonly troubles?: Readonly<Record<number, Trouble>>;
}

const LOGIN = 'タスク 3「ログイン」で要素が見つかりませんでした: #login-button <timeout 30s>';
const PASSWORD = 'ログインに失敗しました: パスワードの有効期限が切れています';

const INVOICES: Bot = {
  id: 'invoice-import',
  name: '請求書取込BOT',
  seconds: 180,
  isLong: true,
  output: (seed) => ({ 取込件数: String(12 + seed) }),
};
const NEWSLETTER: Bot = { id: 'newsletter', name: '週次メルマガ配信', seconds: 33 };

const ROUTINES: readonly Routine[] = [
  {
    id: 'get_items',
    name: '商品取得BOT',
    seconds: 60,
    hours: [8, 10, 12, 14, 16, 18, 20],
    output: itemsOutput,
    errors: { 8: 'TimeoutError: https://shop.example.com/items did not answer within 30 seconds' },
  },
  { ...INVOICES, hours: [9.1, 15.1], errors: { 4: LOGIN, 12: PASSWORD, 13: LOGIN } },
  {
    id: 'stock-sync',
    name: '在庫同期BOT',
    seconds: 300,
    isLong: true,
    hours: [9.5, 12.5, 15.5, 18.5],
    output: (seed) => ({ 同期件数: String(100 + seed) }),
  },
  {
    id: 'nightly-backup',
    name: 'Nightly backup',
    seconds: 1800,
    hours: [2],
    troubles: { 9: { kind: 'slack is down', channel: '#bot-log' } },
  },
  {
    id: 'nightly-report',
    name: '夜間レポート',
    seconds: 77,
    hours: [3],
    days: [11],
    troubles: { 11: { kind: 'slack limits', channel: '#bot-log' } },
  },
  { id: 'payroll', name: '給与計算BOT', seconds: 640, hours: [18] },
  {
    id: 'price-watch',
    name: 'Competitor price watch',
    seconds: 95,
    hours: [7.5],
    output: () => ({ prices: [{ shop: 'Example & Sons', item: 'Lemon tart', price: '5.40' }] }),
    troubles: { 9: { kind: 'channel archived', channel: '#old-prices' } },
  },
  { id: 'crm-export', name: 'CRM export (EU)', seconds: 12, hours: [6], output: () => ({ rows: '1204' }) },
  { ...NEWSLETTER, hours: [10.7], days: [7] },
];

/** All of it before `end`, in the order of time. */
export function twoWeeksUntil(end: number): readonly Scene[] {
  const today = Math.floor((end + TOKYO_MS) / DAY_MS) * DAY_MS - TOKYO_MS;
  const scenes = Array.from({ length: DAYS }, (_, day) => dayOf(day, today - (DAYS - 1 - day) * DAY_MS));
  const all = [...scenes.flat(), ...lastHours(end)];
  return all.filter(({ at }) => at < end).toSorted((a, b) => a.at - b.at);
}

function dayOf(day: number, midnight: number): Scene[] {
  const runs = ROUTINES.filter(({ days }) => days?.includes(day) ?? true).flatMap((routine) =>
    routine.hours.flatMap((hour) => {
      const scenes = runOf(routine, midnight + hour * HOUR_MS, day * 7 + hour, routine.errors?.[day]);
      return scenes.map((scene) => ({ ...scene, trouble: routine.troubles?.[day] }));
    }),
  );
  const body = NO_CALLBACKS[day % 5];
  return body === undefined ? runs : [...runs, { at: midnight + 11 * HOUR_MS, body }];
}

let jobs = 0;

/** @param seed makes one run longer than another */
function runOf(bot: Bot, startedAt: number, seed = 0, error?: string): Scene[] {
  const { id: bot_id, name: bot_name, seconds, isLong = false, output } = bot;
  jobs += 1;
  const job_id = `7d3e0a90-3a5e-4c1f-8a0e-${jobs.toString(16).padStart(12, '0')}`;
  const common = { job_id, bot_id, bot_name, start_time: new Date(startedAt).toISOString() };
  const elapsed_time = Math.round(seconds * (1 + (seed % 11) / 15));
  const outcome =
    error === undefined
      ? { code: 201, status: 0, output: output?.(Math.floor(seed)) }
      : { code: 500, status: 1, message: error };
  const start = { at: startedAt + 500, body: { ...common, code: 202, status: 2 } };
  const result = { at: startedAt + elapsed_time * 1000, body: { ...common, elapsed_time, ...outcome } };
  return isLong ? [start, result] : [result];
}

function itemsOutput(seed: number): unknown {
  const meta = { name: '商品一覧.xlsx', size: 603_956, timestamp: 1_795_132_875_000 };
  return {
    件数: String(20 + (seed % 30)),
    商品: [
      { 商品名: 'チーズケーキ', 価格: '500', 在庫: String(seed % 9) },
      { 商品名: 'ガトーショコラ', 価格: '600', 在庫: String((seed * 3) % 11) },
      { 商品名: 'Lemon tart', 価格: '550', 在庫: String((seed * 5) % 7) },
    ],
    一覧: { type: 'files', files: [{ ref: `jobs/${seed}/files/1`, meta }] },
  };
}

const NO_CALLBACKS = [
  '{"job_id": "broken',
  '{"code": "200", "job_id": "a-job", "bot_id": "get_items", "status": 7, "start_time": "2026-02-30T09:00:00"}',
  '{"hello": "これはコールバックではありません"}',
];

/** What is still open. */
function lastHours(end: number): Scene[] {
  const report = { id: 'monthly-report', name: '月次レポート作成BOT', seconds: 3600, isLong: true };
  return [
    ...runOf(NEWSLETTER, end - 70 * MINUTE_MS),
    ...runOf({ id: 'playground', name: 'Playground', seconds: 3 }, end - 40 * MINUTE_MS),
    ...runOf(report, end - 25 * MINUTE_MS),
    ...runOf({ ...INVOICES, isLong: false }, end - 12 * MINUTE_MS, 0, LOGIN),
  ];
}
