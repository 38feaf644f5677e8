/**
 * The ledger of a large operator, written by plain SQL: a month of callbacks of thousands of BOTs, in forty teams, with what goes
 * wrong among them.
 */
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/time/clock.ts';

export interface WideLedger {
  readonly callbacks: number;
  readonly bots: number;
}

export const TEAMS = 40;

const ROWS_AT_ONCE = 50_000;
const DAY_MS = 86_400_000;

/** Less than is kept. */
const SPAN_MS = 29 * DAY_MS;

/** What reached nobody is kept for three days, so there is none before: with a margin for a run of hours. */
const KEPT_WITHOUT_READER_MS = 2.5 * DAY_MS;

const REFUSED = 1000;

export async function fillWideLedger(file: string, { callbacks, bots }: WideLedger): Promise<void> {
  await createTables(file);
  const database = new DatabaseSync(file);
  try {
    database.exec('pragma synchronous = off; pragma cache_size = -200000');
    const now = Date.now();
    for (let from = 1; from <= callbacks; from += ROWS_AT_ONCE) {
      const part = { from, to: Math.min(callbacks, from + ROWS_AT_ONCE - 1), callbacks, bots, now };
      database.exec('begin');
      writeCallbacks(database, part);
      writeDeliveries(database, part);
      writeHistory(database, part);
      database.exec('commit');
    }
    database.exec('begin');
    countDays(database);
    countDestinations(database);
    writeRefused(database, now);
    database.exec('commit; pragma wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
}

/** As this version makes them. */
async function createTables(file: string): Promise<void> {
  const options = {
    clock: systemClock,
    owner: 'bench',
    leaseMs: 1000,
    takeOverAfterMs: 1000,
    timezone: 'UTC',
  };
  await (await openLedger(`sqlite:${file}`, options)).close();
}

interface Part extends WideLedger {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/** Half of what comes is of fifty BOTs. */
const BOT = (bots: number) =>
  `(case when i / 2 % 2 = 0 then (i / 4 * 7919) % 50 else (i / 4 * 104729) % ${bots} end)`;

/** Of twenty, one fails, and two only begin. */
const STATUS = 'case i % 20 when 0 then 1 when 1 then 2 when 2 then 2 else 0 end';

const BODY = JSON.stringify({
  code: 200,
  job_id: '{job}',
  bot_id: '{bot}',
  bot_name: '商品取得BOT {bot}',
  status: 0,
  start_time: '2026-11-20T09:00:00+09:00',
  elapsed_time: 75,
  output: { 件数: '2', 商品: [{ 商品名: 'チーズケーキ', 価格: '500' }], 概要: 'x'.repeat(300) },
});

function writeCallbacks(database: DatabaseSyncInstance, { from, to, callbacks, bots, now }: Part): void {
  const bot = `'team-' || (${BOT(bots)} % ${TEAMS}) || '-' || ${BOT(bots)}`;
  database.exec(`
    insert into callbacks (id, kind, identity, job_id, bot_id, bot_name, status, started_at, received_at,
      last_received_at, times_received, body, routing, elapsed_time)
    with recursive numbers(i) as (select ${from} union all select i + 1 from numbers where i < ${to}),
    named as (
      select i, 'w-' || printf('%09d', i / 2) as job, ${bot} as bot,
        ${now - SPAN_MS} + cast(i * ${SPAN_MS / (callbacks + 1)} as integer) as received
      from numbers
    )
    select i, 'callback', lower(hex(randomblob(32))), job, bot, '商品取得BOT ' || bot, ${STATUS}, received - 75000, received,
      received, 1 + (i % 50 = 0), replace(replace('${BODY}', '{job}', job), '{bot}', bot),
      json_array(json_object('route', 'routes[1]', 'matched', json('true'), 'because', 'bot_id matches it',
        'reaches', json_array('slack:#team'))),
      30 + (i * 31) % 300
    from named`);
}

/** Slack is told of everything but what has no reader; who fails, also by mail. */
function writeDeliveries(database: DatabaseSyncInstance, { from, to, callbacks, now }: Part): void {
  const team = `substr(bot_id, 6, instr(substr(bot_id, 6), '-') - 1)`;
  const isRead = `not (id % 10 = 3 and received_at > ${now - KEPT_WITHOUT_READER_MS})`;
  const state = `case when id % 400 = 0 then 'dead' when id % 997 = 0 then 'held'
    when id > ${callbacks - 500} and id % 10 = 5 then 'pending' else 'delivered' end`;
  const insert = (channel: string, address: string, which: string) => `
    insert into deliveries (callback_id, destination, channel, address, state, attempts, refusals, error_class, error_code,
      error_message, receipt, held_because, due_at, is_ours, updated_at, job_key, counts_from)
    select id, '${channel}:' || ${address}, '${channel}', ${address}, state, 1 + (id % 400 = 0) * 40, 0,
      iif(state in ('dead', 'pending'), iif(id % 800 = 0, 'config', 'transient'), null),
      iif(state in ('dead', 'pending'), iif(id % 800 = 0, 'is_archived', '503'), null),
      iif(state in ('dead', 'pending'), 'It answered 503, out of order.', null),
      iif(state = 'delivered', '{"channel":"C0BENCH001","ts":"1795413802.000001"}', null),
      iif(state = 'held', 'superseded', null), ${now + DAY_MS / 4}, 1, received_at, job_id, ${now}
    from (select *, ${state} as state from callbacks where id between ${from} and ${to} and ${which})`;
  database.exec(insert('slack', `'#team-' || ${team}`, isRead));
  database.exec(insert('email', `'team-' || ${team} || '@example.com'`, 'status = 1'));
}

function writeHistory(database: DatabaseSyncInstance, { from, to }: Part): void {
  database.exec(`
    insert into history (callback_id, entry)
    select callbacks.id, json_object(
      'attempts', json_array(json_object('delivery_id', deliveries.id, 'started_at', received_at + 3, 'duration_ms', 80,
        'outcome', coalesce(error_class, 'delivered'), 'error_code', error_code)),
      'answer', json_object('received_at', received_at, 'answered_at', received_at + 90, 'status', 200,
        'result', iif(state = 'delivered', 'delivered', 'taken_over')))
    from callbacks join deliveries on deliveries.callback_id = callbacks.id and channel = 'slack'
    where callbacks.id between ${from} and ${to}`);
}

/** By days of UTC, which are the display's. */
function countDays(database: DatabaseSyncInstance): void {
  database.exec(`
    insert into bot_days
    select bot_id, strftime('%Y-%m-%d', received_at / 1000, 'unixepoch'), max(bot_name), max(id), max(received_at),
      max(iif(status = 0, received_at, 0)), max(iif(status = 1, received_at, 0)), sum(status = 0), sum(status = 1),
      sum(status = 2), sum(times_received - 1), sum(iif(status = 2, 0, elapsed_time))
    from callbacks group by 1, 2`);
}

/** What the product writes with each attempt. */
function countDestinations(database: DatabaseSyncInstance): void {
  database.exec(`
    insert into destinations (destination, last_delivered_at, last_failed_at, median_ms, slow_ms)
    select destination, max(iif(state = 'delivered', updated_at, 0)), max(iif(state = 'dead', updated_at, 0)), 80, 240
    from deliveries group by 1`);
}

function writeRefused(database: DatabaseSyncInstance, now: number): void {
  const errors = JSON.stringify([{ pointer: '/status', detail: 'must be 0, 1 or 2' }]);
  database.exec(`
    insert into refused (received_at, status, detail, errors, remote_address, body)
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${REFUSED})
    select ${now - DAY_MS} + i * 1000, 422, 'This is not a callback.', '${errors}', '192.0.2.1', '{"status":7}' from numbers`);
}
