/** The callbacks of a small office in the last two weeks, what became of them, and what people did about them. */
import type { Callback } from '../../src/callback/callback.ts';
import type { DeliveryRecord } from '../../src/ledger/ledger.ts';
import { recordDestinations } from '../../src/ledger/deliveries/failing.ts';
import { writeOwnNotice } from '../../src/ledger/callbacks/own-notices.ts';
import type { People } from '../../src/people/actions.ts';
import type { Router } from '../../src/route/router.ts';
import { callbackWith } from './callbacks.ts';
import { deadUpdate, deliveredUpdate, type Recorded, update } from './recorded.ts';
import type { StoreUnderTest } from './store-under-test.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAYS = 14;

export const OFFICE_NOW = Date.parse('2026-11-20T10:42:05+09:00');
const MIDNIGHT = Date.parse('2026-11-20T00:00:00+09:00');
export const TWO_WEEKS_AGO = MIDNIGHT - (DAYS - 1) * DAY;

const LOGIN = 'タスク 3「ログイン」で要素が見つかりませんでした: #login-button <timeout 30s>';

interface Routine {
  readonly bot: readonly [id: string, name: string, seconds: number];
  /** The hours at which its runs begin; 7.5 is half past seven. */
  readonly hours: readonly number[];
  /** Error messages by the day; 13 is today. */
  readonly errors?: Readonly<Record<number, string>>;
  readonly output?: (seed: number) => unknown;
}

const ROUTINES: readonly Routine[] = [
  {
    bot: ['get_items', '商品取得BOT', 60],
    hours: [8, 10, 14, 18],
    errors: { 8: 'TimeoutError: https://shop.example.com/items did not answer within 30 seconds' },
    output: (seed) => ({
      件数: String(20 + seed),
      商品: [
        { 商品名: 'チーズケーキ', 価格: '500', 在庫: String(seed % 9) },
        { 商品名: 'ガトーショコラ', 価格: '600', 在庫: String((seed * 3) % 11) },
        { 商品名: 'Lemon tart', 価格: '550', 在庫: String((seed * 5) % 7) },
      ],
    }),
  },
  { bot: ['invoice-import', '請求書取込BOT', 180], hours: [10.4], errors: { 4: LOGIN, 13: LOGIN } },
  { bot: ['stock-sync', '在庫同期BOT', 300], hours: [9.5, 15.5] },
  { bot: ['nightly-backup', 'Nightly backup', 5430], hours: [2] },
  { bot: ['price-watch', 'Competitor price watch', 95], hours: [7.5] },
  { bot: ['crm-export', 'CRM export (EU)', 12], hours: [6] },
];

const ARCHIVED = {
  class: 'config',
  code: 'is_archived',
  message: 'Slack answered is_archived: the channel is archived; unarchive it, or name another one.',
  japanese: 'チャンネルがアーカイブされています。',
} as const;
const FULL = { class: 'transient', code: '452', message: 'The mailbox is full.' } as const;

/** The outcome of a delivery since yesterday; before that, all were delivered. */
function outcomeOf({ id, destination }: DeliveryRecord) {
  if (destination === 'slack:#old-prices') return deadUpdate(id, ARCHIVED);
  if (destination === 'email:readers@example.com')
    return update(id, { lastError: FULL, dueInMs: 20 * MINUTE });
  return deliveredUpdate(id);
}

interface Office {
  readonly recorded: Recorded;
  /** Its clock stands at the beginning of the two weeks. */
  readonly store: StoreUnderTest;
  readonly people: People;
  readonly router: Router;
}

/** Records a callback that comes now, with the outcomes at its destinations. @returns its id */
async function record(fields: Partial<Callback>, { recorded, store, router }: Office): Promise<number> {
  const callback = callbackWith(fields);
  const { destinations, explanations } = router.route(callback);
  const told = await recorded.arrive(callback, destinations, {
    startedAt: Date.parse(callback.start_time),
    routing: JSON.stringify(explanations),
    isAccepted: false,
  });
  const isLate = store.clock.now() > MIDNIGHT - DAY;
  const updates = told.deliveries
    .filter(({ state }) => state === 'pending')
    .map((each) => (isLate ? outcomeOf(each) : deliveredUpdate(each.id)));
  const isTold = updates.every(({ state }) => state === 'delivered');
  const result = updates.length === 0 ? 'held' : isTold ? 'delivered' : 'taken_over';
  if (told.deliveries.length > 0) await recorded.settle(told, updates, result);
  return told.callbackId;
}

export async function liveTwoWeeks(office: Office): Promise<void> {
  const { clock } = office.store;
  const runs = Array.from({ length: DAYS }, (_, day) => day).flatMap((day) =>
    ROUTINES.flatMap(({ bot: [bot_id, bot_name, seconds], hours, errors, output }) =>
      hours.map((hour) => {
        const startedAt = TWO_WEEKS_AGO + day * DAY + hour * HOUR;
        const seed = day * 7 + Math.floor(hour);
        const elapsed_time = Math.round(seconds * (1 + (seed % 11) / 15));
        const message = errors?.[day];
        const fields = {
          bot_id,
          bot_name,
          elapsed_time,
          job_id: `${bot_id}-${day}-${hour}`,
          start_time: new Date(startedAt).toISOString(),
          ...(message === undefined
            ? { status: 0, output: output?.(seed) }
            : { status: 1, message, code: 500 }),
        };
        return { at: startedAt + elapsed_time * 1000, fields: fields as Partial<Callback> };
      }),
    ),
  );
  for (const { at, fields } of runs.toSorted((a, b) => a.at - b.at)) {
    if (at > OFFICE_NOW) break;
    await clock.advance(at - clock.now());
    await record(fields, office);
  }
  await newsletter(office);
  await stillOpen(office);
}

/** A BOT whose reader's mailbox is full: its mails are tried again and again. */
async function newsletter(office: Office): Promise<void> {
  const { recorded, store } = office;
  const { clock } = store;
  const start_time = new Date(clock.now()).toISOString();
  const bot = { bot_id: 'newsletter', bot_name: '週次メルマガ配信', job_id: 'newsletter' };
  const callbackId = await record({ ...bot, start_time }, office);
  const { deliveries = [] } = (await recorded.archive.story(callbackId)) ?? {};
  const pending = deliveries.filter(({ state }) => state === 'pending');
  for (const attempts of [2, 3, 4]) {
    await clock.advance(attempts * MINUTE);
    await recorded.settle(
      { callbackId },
      pending.map((each) => ({ ...outcomeOf(each), attempts })),
    );
  }
  await clock.advance(OFFICE_NOW - clock.now());
}

function wrongStatus(found: string) {
  const detail = `must be the integer 0 (succeeded), 1 (error) or 2 (executing), found the string "${found}"`;
  return [{ pointer: '/status', detail }];
}

async function stillOpen(office: Office): Promise<void> {
  const { recorded, store, people } = office;
  const by = { via: 'page', user: 'suzuki', from: '192.0.2.4' } as const;
  const start_time = new Date(OFFICE_NOW - 25 * MINUTE).toISOString();
  const monthly = {
    bot_id: 'monthly-report',
    bot_name: '月次レポート作成BOT',
    job_id: 'monthly',
    start_time,
  };
  const monthlyId = await record({ ...monthly, status: 2, elapsed_time: undefined }, office);
  const bot_id = 'nightly-report';
  const ofBot = { bot_id, until: 'next-success', because: '棚卸し', destination: '' };
  const until = { until: 'tomorrow', because: 'the supplier moves house' };
  await people.snooze(ofBot, by);
  await people.snooze({ bot_id: '', destination: 'slack:#shop', ...until }, by);
  await record({ bot_id, bot_name: '夜間レポート', job_id: 'report', start_time, status: 1 }, office);
  const notices = [
    { kind: 'missed', botId: 'invoice-import', botName: '請求書取込BOT' },
    { kind: 'overdue', botId: 'monthly-report', botName: '月次レポート作成BOT', about: monthlyId },
    { kind: 'digest' },
  ];
  for (const notice of notices)
    await store.call((tx) => writeOwnNotice(tx, { ...notice, subject: '{}' }), []);
  for (const [status, detail, body, errors] of [
    [400, 'The body is not JSON: line 1, column 1.', 'hello=world', []],
    [422, 'This is JSON, but not a callback.', '', wrongStatus('done')],
    [422, 'This is JSON, but not a callback.', '{"status": "ok"}', wrongStatus('ok')],
  ] as const)
    await recorded.refuse({ status, detail, errors, from: '203.0.113.7', body });
  const now = store.clock.monotonic();
  const [lastDeliveredAt, lastFailedAt] = [now - 2 * DAY, now - 3 * HOUR];
  await store.call(recordDestinations, [
    [
      { destination: 'slack:#old-prices', lastDeliveredAt, lastFailedAt, lastError: ARCHIVED },
      { destination: 'slack:#shop', lastDeliveredAt: now - HOUR, lastFailedAt, lastError: FULL },
    ],
  ]);
  await people.startBulk({ botId: 'price-watch', from: OFFICE_NOW - 3 * DAY }, by, 'dismissed');
  await recorded.actions.stopBulk(1, by);
  await people.startBulk({ destination: 'slack:#old-prices' }, by, 'redelivered');
}
