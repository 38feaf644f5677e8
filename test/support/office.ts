/** The page and the API of a small office, over a ledger in which its last two weeks stand, at a time that stands still. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawingOf } from '../../src/admin/drawing.ts';
import type { ReloadPreview, ReloadStatus } from '../../src/admin/services.ts';
import { type AppSettings, openSettings } from '../../src/app/settings.ts';
import type { Callback } from '../../src/callback/callback.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { loadProject } from '../../src/cli/load-config.ts';
import { type Planning, RunningSettings } from '../../src/deliver/settings.ts';
import type { DeliveryRecord } from '../../src/ledger/ledger.ts';
import { recordDestinations } from '../../src/ledger/operations/destinations.ts';
import { writeOwnNotice } from '../../src/ledger/signal/own-notices.ts';
import { createPeople, type People } from '../../src/people/actions.ts';
import type { Router } from '../../src/route/router.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';
import { systemClock } from '../../src/time/clock.ts';
import { type AdminWorld, openAdminWorld } from './admin-world.ts';
import { callbackWith } from './callbacks.ts';
import { ManualClock } from './manual-clock.ts';
import { deadUpdate, deliveredUpdate, Recorded, update } from './recorded.ts';
import { createSqliteStore, type SqliteStore } from './sqlite-store.ts';
import { tempFolder } from './temp-folder.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAYS = 14;

/** In the morning of a working day, in Tokyo. */
export const OFFICE_NOW = Date.parse('2026-11-20T10:42:05+09:00');
const MIDNIGHT = Date.parse('2026-11-20T00:00:00+09:00');

const CONFIG = `
store: { url: "sqlite:unused.db" }
receiver: { token: "THE-TOKEN-OF-THE-OFFICE" }
delivery: { alerts: [operators] }
display: { timezone: Asia/Tokyo, links: { job: "https://bots.example.com/jobs/{{ job_id }}" } }
channels:
  slack: { type: outbox, as: slack }
  email: { type: outbox, as: email }
groups:
  operators: [{ slack: "#bot-alerts", mention_on_error: "@here" }, { email: [ops@example.com] }]
routes:
  - bot_id: get_items
    notify: [{ slack: "#shop" }]
  - bot_id: "invoice-*"
    on: [error]
    notify: [operators]
  - bot_id: price-watch
    notify: [{ slack: "#old-prices" }, { email: owner@example.com }]
  - bot_id: newsletter
    notify: [{ email: readers@example.com }, { slack: "#bot-log" }]
  - bot_id: "nightly-*"
    notify: [{ slack: "#bot-log" }]
default_route:
  on: [error]
  notify: [operators]
`;

const LOGIN = 'タスク 3「ログイン」で要素が見つかりませんでした: #login-button <timeout 30s>';

interface Routine {
  readonly bot: readonly [id: string, name: string, seconds: number];
  /** When its runs begin; 7.5 is half past seven. */
  readonly hours: readonly number[];
  /** By the day; 13 is today. */
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
  { bot: ['nightly-backup', 'Nightly backup', 1800], hours: [2] },
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

/** What becomes of a delivery since yesterday; before that, everybody was told. */
function outcomeOf({ id, destination }: DeliveryRecord) {
  if (destination === 'slack:#old-prices') return deadUpdate(id, ARCHIVED);
  if (destination === 'email:readers@example.com')
    return update(id, { lastError: FULL, dueInMs: 20 * MINUTE });
  return deliveredUpdate(id);
}

const STATUS: ReloadStatus = {
  file: 'config/botbell.yaml',
  configHash: 'c0ffee1234567890c0ffee',
  loadedAt: OFFICE_NOW - 3 * HOUR,
  warnings: [
    {
      place: { file: 'config/botbell.yaml', line: 52, column: 13 },
      message: 'routes[3] matches every BOT, so default_route is never used',
      severity: 'warning',
    },
  ],
  failure: {
    at: OFFICE_NOW - 6 * MINUTE,
    problems: [
      {
        place: { file: 'config/botbell.yaml', line: 41, column: 13 },
        message: 'no channel is named "slak": did you mean "slack"?',
        severity: 'error',
      },
    ],
  },
  unchanged: ['admin.listen'],
};

export const PREVIEW: ReloadPreview = {
  problems: STATUS.warnings,
  configHash: 'beef000000000000beef',
  since: '2026-11-13T00:00:00+09:00',
  changes: [
    {
      botId: 'invoice-import',
      status: 'error',
      callbacks: 31,
      added: ['slack:#keiri'],
      removed: ['slack:#ops'],
    },
  ],
  isComplete: false,
  unchanged: ['store.url'],
};

const SAMPLES = ['error', 'succeeded', 'executing'].map((name) => ({
  name,
  text: readFileSync(join(import.meta.dirname, `../../config/samples/${name}.json`), 'utf8'),
}));

export interface OfficeWorld extends AdminWorld {
  readonly store: SqliteStore;
  readonly recorded: Recorded;
  /** What people had done, in its order. */
  readonly done: unknown[];
  /** A callback comes now, and each whom the config names is told or not. @returns its id */
  come(fields: Partial<Callback>): Promise<number>;
}

/** @param isNew nothing has come yet */
export async function openOffice({ isNew = false } = {}): Promise<OfficeWorld> {
  const clock = new ManualClock(isNew ? OFFICE_NOW : MIDNIGHT - (DAYS - 1) * DAY);
  const store = createSqliteStore(clock);
  const recorded = new Recorded(store);
  const settings = await officeSettings();
  const done: unknown[] = [];
  const world = await openAdminWorld({
    clock,
    archive: recorded.archive,
    people: peopleOver(recorded, () => settings.current, done),
    reloading: {
      status: STATUS,
      reload: (cause) => {
        done.push({ what: 'reload', cause });
        return Promise.resolve({ isLoaded: false, problems: STATUS.failure?.problems ?? [] });
      },
      preview: () => Promise.resolve(PREVIEW),
    },
    drawing: () => drawingOf(settings.current, channelTypes),
    paused: () => [{ key: 'slack:#bot-alerts', ms: 25_000 }],
    samples: SAMPLES,
  });
  const office: OfficeWorld = {
    ...world,
    store,
    recorded,
    done,
    come: (fields) => come(callbackWith(fields), { recorded, clock, router: settings.current.router }),
    async close() {
      await world.close();
      await store.close();
      await settings.close();
    },
  };
  if (!isNew) await twoWeeks(office, clock);
  done.splice(0);
  return office;
}

interface Told {
  readonly recorded: Recorded;
  readonly clock: ManualClock;
  readonly router: Router;
}

async function come(callback: Callback, { recorded, clock, router }: Told): Promise<number> {
  const { destinations, explanations } = router.route(callback);
  const told = await recorded.arrive(callback, destinations, {
    startedAt: Date.parse(callback.start_time),
    routing: JSON.stringify(explanations),
    isAccepted: false,
  });
  const isLate = clock.now() > MIDNIGHT - DAY;
  const updates = told.deliveries
    .filter(({ state }) => state === 'pending')
    .map((each) => (isLate ? outcomeOf(each) : deliveredUpdate(each.id)));
  const isTold = updates.every(({ state }) => state === 'delivered');
  const result = updates.length === 0 ? 'held' : isTold ? 'delivered' : 'taken_over';
  if (told.deliveries.length > 0) await recorded.settle(told, updates, result);
  return told.callbackId;
}

function peopleOver(ledger: Recorded, planning: () => Planning, done: unknown[]): People {
  return createPeople({
    ledger,
    planning,
    now: () => OFFICE_NOW,
    sendTest: ({ destination }) =>
      Promise.resolve({
        destination,
        isDelivered: false,
        words: 'The app is not in the channel.',
        errorClass: 'config',
        errorCode: 'not_in_channel',
        durationMs: 3,
      }),
    onDue: () => undefined,
    onBulkStarted: () => undefined,
    onAction: (action) => done.push(action),
  });
}

async function officeSettings(): Promise<RunningSettings<AppSettings>> {
  const file = join(tempFolder(), 'botbell.yaml');
  writeFileSync(file, CONFIG);
  const ignore = () => undefined;
  const first = await openSettings(await loadProject({ configFile: file, variables: {} }), {
    channelTypes,
    print: ignore,
    onTemplateError: ignore,
    secrets: new HiddenSecrets(),
  });
  return new RunningSettings<AppSettings>(first, systemClock, ignore);
}

/** The routines until now, in the order of time. */
async function twoWeeks(office: OfficeWorld, clock: ManualClock): Promise<void> {
  const runs = Array.from({ length: DAYS }, (_, day) => day).flatMap((day) =>
    ROUTINES.flatMap(({ bot: [bot_id, bot_name, seconds], hours, errors, output }) =>
      hours.map((hour) => {
        const startedAt = MIDNIGHT - (DAYS - 1 - day) * DAY + hour * HOUR;
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
    await office.come(fields);
  }
  await newsletter(office, clock);
  await stillOpen(office);
}

/** Its mailbox is full: tried again and again. */
async function newsletter({ come, recorded }: OfficeWorld, clock: ManualClock): Promise<void> {
  const start_time = new Date(clock.now()).toISOString();
  const bot = { bot_id: 'newsletter', bot_name: '週次メルマガ配信', job_id: 'newsletter' };
  const callbackId = await come({ ...bot, start_time });
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

/** What went wrong, and what people did about it. */
async function stillOpen({ come, recorded, store, services: { people } }: OfficeWorld): Promise<void> {
  const by = { via: 'page', user: 'suzuki', from: '192.0.2.4' } as const;
  const start_time = new Date(OFFICE_NOW - 25 * MINUTE).toISOString();
  const monthly = {
    bot_id: 'monthly-report',
    bot_name: '月次レポート作成BOT',
    job_id: 'monthly',
    start_time,
  };
  const monthlyId = await come({ ...monthly, status: 2, elapsed_time: undefined });
  await people.snooze(
    { bot_id: 'nightly-report', until: 'next-success', because: '棚卸し', destination: '' },
    by,
  );
  await people.snooze(
    { bot_id: '', destination: 'slack:#shop', until: 'tomorrow', because: 'the supplier moves house' },
    by,
  );
  await come({ bot_id: 'nightly-report', bot_name: '夜間レポート', job_id: 'report', start_time, status: 1 });
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
    await recorded.refuse({
      receivedAt: OFFICE_NOW - HOUR,
      status,
      detail,
      errors,
      from: '203.0.113.7',
      body,
    });
  const [lastDeliveredAt, lastFailedAt] = [OFFICE_NOW - 2 * DAY, OFFICE_NOW - 3 * HOUR];
  await store.call(recordDestinations, [
    [
      { destination: 'slack:#old-prices', lastDeliveredAt, lastFailedAt, lastError: ARCHIVED },
      { destination: 'slack:#shop', lastDeliveredAt: OFFICE_NOW - HOUR, lastFailedAt, lastError: FULL },
    ],
  ]);
  await people.startBulk({ botId: 'price-watch', from: OFFICE_NOW - 3 * DAY }, by, 'dismissed');
  await recorded.actions.stopBulk(1, by);
  await people.startBulk({ destination: 'slack:#old-prices' }, by, 'redelivered');
}
