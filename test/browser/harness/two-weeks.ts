/** What the BOTs of a small office did in the last two weeks, and what went wrong meanwhile. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Asia/Tokyo has no daylight saving time. */
const TOKYO_MS = 9 * HOUR_MS;

export type Trouble =
  /** Slack's own, for the attempts of one request. */
  | { readonly kind: 'slack is down'; readonly channel: string }
  | { readonly kind: 'slack limits'; readonly channel: string }
  /** From here on. */
  | { readonly kind: 'channel archived'; readonly channel: string };

export interface Scene {
  /** When it is posted; milliseconds since the epoch. */
  readonly at: number;
  /** A callback, or the text of a body that is none. */
  readonly body: Readonly<Record<string, unknown>> | string;
  readonly trouble?: Trouble;
  /** From here on, contracts are told where there is somebody. */
  readonly mendsConfig?: boolean;
}

/** 2 of a bot's status is that it runs (callback interface). */
const [SUCCEEDED, ERROR, EXECUTING] = [0, 1, 2];

/** All of it before `end`, in the order of time. */
export function twoWeeksUntil(end: number): readonly Scene[] {
  const midnight = Math.floor((end + TOKYO_MS) / DAY_MS) * DAY_MS - TOKYO_MS;
  const days = Array.from({ length: 14 }, (_, index) => ({
    midnight: midnight - (13 - index) * DAY_MS,
    index,
  }));
  const scenes = [...days.flatMap(dayOf), ...lastHours(end)];
  return scenes.filter(({ at }) => at < end).toSorted((a, b) => a.at - b.at);
}

interface Day {
  readonly midnight: number;
  /** 13 is today. */
  readonly index: number;
}

function dayOf(day: Day): Scene[] {
  return [
    ...itemsOf(day),
    ...invoicesOf(day),
    ...stockOf(day),
    ...onceADay(day),
    ...contractsOf(day),
    ...refusedOf(day),
  ];
}

let jobs = 0;

/** As the service makes them, and the same in every run. */
function nextJob(): string {
  jobs += 1;
  return `7d3e0a90-3a5e-4c1f-8a0e-${jobs.toString(16).padStart(12, '0')}`;
}

interface Run {
  readonly bot: readonly [id: string, name: string];
  readonly startedAt: number;
  readonly seconds: number;
  readonly job?: string;
  readonly status?: number;
  readonly more?: Readonly<Record<string, unknown>>;
}

function resultOf({ bot, startedAt, seconds, job = nextJob(), status = SUCCEEDED, more = {} }: Run): Scene {
  const body = { ...common(bot, startedAt, job), status, elapsed_time: seconds, ...more };
  return { at: startedAt + seconds * 1000, body: { code: status === ERROR ? 500 : 201, ...body } };
}

function startOf({ bot, startedAt, job = nextJob() }: Pick<Run, 'bot' | 'startedAt' | 'job'>): Scene {
  const body = { code: 202, ...common(bot, startedAt, job), status: EXECUTING };
  return { at: startedAt + 500, body };
}

function common([bot_id, bot_name]: Run['bot'], startedAt: number, job_id: string) {
  return { job_id, bot_id, bot_name, start_time: new Date(startedAt).toISOString() };
}

const ITEMS = ['get_items', '商品取得BOT'] as const;

function itemsOf({ midnight, index }: Day): Scene[] {
  return [8, 10, 12, 14, 16, 18, 20].map((hour) => {
    const startedAt = midnight + hour * HOUR_MS;
    const seconds = 60 + ((index * 7 + hour * 13) % 55);
    if (index === 8 && (hour === 12 || hour === 14)) {
      const more = {
        message: 'TimeoutError: https://shop.example.com/items did not answer within 30 seconds',
      };
      return resultOf({ bot: ITEMS, startedAt, seconds: 151, status: ERROR, more });
    }
    return resultOf({ bot: ITEMS, startedAt, seconds, more: { output: itemsOutput(index + hour) } });
  });
}

function itemsOutput(seed: number): unknown {
  return {
    件数: String(20 + (seed % 30)),
    商品: [
      { 商品名: 'チーズケーキ', 価格: '500', 在庫: String(seed % 9) },
      { 商品名: 'ガトーショコラ', 価格: '600', 在庫: String((seed * 3) % 11) },
      { 商品名: 'Lemon tart', 価格: '550', 在庫: String((seed * 5) % 7) },
    ],
    一覧: {
      type: 'files',
      files: [
        {
          ref: `jobs/${seed}/files/1`,
          meta: { name: '商品一覧.xlsx', size: 603_956, timestamp: 1_795_132_875_000 },
        },
      ],
    },
  };
}

const INVOICES = ['invoice-import', '請求書取込BOT'] as const;

function invoicesOf({ midnight, index }: Day): Scene[] {
  return [9, 15].flatMap((hour) => {
    const run = { bot: INVOICES, startedAt: midnight + hour * HOUR_MS + 5 * MINUTE_MS, job: nextJob() };
    const fails = index >= 12 || index === 4;
    const result = fails
      ? { seconds: 42, status: ERROR, more: { message: INVOICE_ERRORS[(index + hour) % 2] } }
      : { seconds: 180 + ((index * 17 + hour) % 90), more: { output: { 取込件数: String(12 + index) } } };
    return [startOf(run), resultOf({ ...run, ...result })];
  });
}

const INVOICE_ERRORS = [
  'タスク 3「ログイン」で要素が見つかりませんでした: #login-button <timeout 30s>',
  'ログインに失敗しました: パスワードの有効期限が切れています',
];

const STOCK = ['stock-sync', '在庫同期BOT'] as const;

function stockOf({ midnight, index }: Day): Scene[] {
  return [9, 12, 15, 18].flatMap((hour) => {
    const run = { bot: STOCK, startedAt: midnight + hour * HOUR_MS + 30 * MINUTE_MS, job: nextJob() };
    const seconds = 300 + ((index * 29 + hour * 31) % 420);
    const result = resultOf({ ...run, seconds, more: { output: { 同期件数: String(100 + index * hour) } } });
    const start = startOf(run);
    // Once, the service is late with what it says first.
    const at = index === 10 && hour === 12 ? result.at + 2 * MINUTE_MS : start.at;
    return [{ ...start, at }, result];
  });
}

function onceADay(day: Day): Scene[] {
  const { midnight, index } = day;
  const at = (hour: number, minute = 0) => midnight + hour * HOUR_MS + minute * MINUTE_MS;
  const backup = resultOf({
    bot: ['nightly-backup', 'Nightly backup'],
    startedAt: at(2),
    seconds: 1800 + index * 20,
  });
  const isDown = index === 9;
  const scenes: Scene[] = [
    isDown ? { ...backup, trouble: { kind: 'slack is down', channel: '#bot-log' } } : backup,
    resultOf({ bot: ['payroll', '給与計算BOT'], startedAt: at(18), seconds: 640 }),
    index === 9 ? { ...pricesOf(day), trouble: ARCHIVED } : pricesOf(day),
    resultOf({
      bot: ['crm-export', 'CRM export (EU)'],
      startedAt: at(6),
      seconds: 12,
      more: { output: { rows: '1204' } },
    }),
    ...(isDown ? [{ ...backup, at: backup.at + 35_000 }] : []),
  ];
  if (index === 7) scenes.push(newsletterAt(at(10, 40)));
  if (index === 11) scenes.push(limitedAt(at(3)));
  return scenes;
}

const ARCHIVED = { kind: 'channel archived', channel: '#old-prices' } as const;

function pricesOf({ midnight, index }: Day): Scene {
  return resultOf({
    bot: ['price-watch', 'Competitor price watch'],
    startedAt: midnight + 7.5 * HOUR_MS,
    seconds: 95 + index,
    more: { output: { prices: [{ shop: 'Example & Sons', item: 'Lemon tart', price: '5.40' }] } },
  });
}

function newsletterAt(startedAt: number): Scene {
  return resultOf({ bot: ['newsletter', '週次メルマガ配信'], startedAt, seconds: 33 });
}

function limitedAt(startedAt: number): Scene {
  const report = resultOf({ bot: ['nightly-report', '夜間レポート'], startedAt, seconds: 77 });
  return { ...report, trouble: { kind: 'slack limits', channel: '#bot-log' } };
}

/** Told where nobody is, until the config is mended an hour later. */
function contractsOf({ midnight, index }: Day): Scene[] {
  if (index !== 12) return [];
  const checkedAt = (startedAt: number) =>
    resultOf({ bot: ['contract-check', '契約確認BOT'], startedAt, seconds: 18 });
  return [checkedAt(midnight + 8 * HOUR_MS), { ...checkedAt(midnight + 9 * HOUR_MS), mendsConfig: true }];
}

const NO_CALLBACKS = [
  '{"job_id": "broken',
  JSON.stringify({
    code: '200',
    job_id: 'a-job',
    bot_id: 'get_items',
    status: 7,
    start_time: '2026-02-30T09:00:00',
  }),
  JSON.stringify({ hello: 'これはコールバックではありません' }),
];

function refusedOf({ midnight, index }: Day): Scene[] {
  const body = NO_CALLBACKS[index % 5];
  return body === undefined ? [] : [{ at: midnight + 11 * HOUR_MS + 7 * MINUTE_MS, body }];
}

/** What is still open. */
function lastHours(end: number): Scene[] {
  return [
    newsletterAt(end - 70 * MINUTE_MS),
    resultOf({ bot: ['playground', 'Playground'], startedAt: end - 40 * MINUTE_MS, seconds: 3 }),
    startOf({ bot: ['monthly-report', '月次レポート作成BOT'], startedAt: end - 25 * MINUTE_MS }),
    resultOf({
      bot: INVOICES,
      startedAt: end - 12 * MINUTE_MS,
      seconds: 42,
      status: ERROR,
      more: { message: INVOICE_ERRORS[0] },
    }),
  ];
}
