/** The archive over Kysely, on either database. */
import { type Kysely, type Selection, sql } from 'kysely';
import type { StatusCode } from '../../callback/callback.ts';
import type { FailureClass } from '../../channels/failure.ts';
import { type Clock, Deadline } from '../../time/clock.ts';
import type { StoreReader } from '../dialect.ts';
import type { AnswerRecord, AttemptRecord, CallbackKind, CallbackResult, RefusedStatus } from '../ledger.ts';
import { deliveryRecord, standingColumns, type StoreTime, WAITS_FOR_EARLIER } from '../rows.ts';
import { bodyText, readBody } from '../stored-body.ts';
import type { HistoryAttempt, HistoryEntry, Tables } from '../tables.ts';
import { unavailable } from '../timed-store.ts';
import type {
  Archive,
  ArchivedCallback,
  ArchivedDelivery,
  ArchivedPause,
  ArchivedRefusal,
  CallbackStory,
  ChangeMark,
  DeliveryOfCallback,
  Page,
  PageRequest,
} from './archive.ts';
import { actionsOn } from '../actions/action-rows.ts';
import { keysFor } from '../callback-columns.ts';
import { configHashAt, configsLoaded, destinationsNamed } from './standings.ts';
import { botsAfter, botsWith, daysSince, deadLetters, openWork } from './overviews.ts';
import { noticeColumns, unreadNoticeIn } from '../due/due.ts';
import { countsOf, everyBot, failedRuns, lastRuns, runsSince } from './bot-runs.ts';
import { type Ask, findCallbacks, resultsOf } from './find-callbacks.ts';

const TIMEOUT_MS = 5000;
const COMMON_PAGE = 50;
const LARGEST_PAGE = 500;
const LARGEST_HISTORY = 1000;
/** Of refused bodies, which may have 64 KiB each. */
const REFUSALS_AT_ONCE = 50;

/** Each question on its own, within five seconds. */
export function askOver(reader: StoreReader, clock: Clock): Ask {
  return async (work) => {
    const deadline = new Deadline(clock, TIMEOUT_MS);
    try {
      return await deadline.bound(reader.read(deadline, work));
    } catch (error) {
      throw unavailable(error);
    }
  };
}

/** @param timeOf the store's time */
export function createArchive(reader: StoreReader, clock: Clock, timeOf: () => StoreTime): Archive {
  const ask = askOver(reader, clock);
  return {
    async callbacks(filter, request = {}) {
      const { ids, next } = await findCallbacks(ask, clock, filter, pageOf(request));
      const items = await ask((db) => callbacksWith(db, timeOf(), ids));
      return { items, next };
    },
    story: (id) => ask((db) => storyOf(db, timeOf(), id)),
    body: async (id) => {
      const row = await ask((db) =>
        db.selectFrom('callbacks').select('body').where('id', '=', id).executeTakeFirst(),
      );
      return row && readBody(row.body);
    },
    bots: (since, after = '') => ask((db) => botsAfter(db, since, after)),
    bot: async (botId, since) => (await ask((db) => botsWith(db, since, keysFor(botId))))[0],
    everyBot: () => everyBot(ask),
    countsOf: (botIds, since) => ask((db) => countsOf(db, botIds, since)),
    lastRuns: (bots, most) => lastRuns(ask, bots, most),
    runsSince: (bot, since) => runsSince(ask, bot, since),
    failedRuns: (runs) => failedRuns(ask, runs),
    days: (since, botId) => daysSince(ask, since, botId),
    deadLetters: () => deadLetters(ask),
    openWork: () => ask(openWork),
    refusals: (request) => ask((db) => refusals(db, request ?? {})),
    destinations: (names) => destinationsNamed(ask, names),
    configs: () => ask(configsLoaded),
    delivery: (id) => ask((db) => deliveryWith(db, timeOf(), id)),
    told: async (id) => {
      const row = await ask((db) => toldRow(db, id));
      return row && unreadNoticeIn(row);
    },
    changeMark: () => ask(changeMark),
    close: () => reader.close(),
  };
}

function pageOf({ before = Number.MAX_SAFE_INTEGER, limit = COMMON_PAGE }: PageRequest) {
  return { before, limit: Math.max(1, Math.min(limit, LARGEST_PAGE)) };
}

const columns = [
  'id',
  'job_id as jobId',
  'bot_id as botId',
  'bot_name as botName',
  'status',
  'started_at as startedAt',
  'received_at as receivedAt',
  'last_received_at as lastReceivedAt',
  'times_received as timesReceived',
  'elapsed_time as elapsedSeconds',
] as const;

async function callbacksWith(
  db: Kysely<Tables>,
  time: StoreTime,
  ids: readonly number[],
): Promise<readonly ArchivedCallback[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('callbacks').select(columns).where('id', 'in', ids).execute();
  const deliveries = await deliveriesOf(db, time, ids);
  const results = await resultsOf(db, ids);
  return rows
    .toSorted((a, b) => b.id - a.id)
    .map((row) => archived(row, deliveries.get(row.id) ?? [], results.get(row.id)));
}

function archived(
  row: Selection<Tables, 'callbacks', (typeof columns)[number]>,
  deliveries: readonly ArchivedDelivery[],
  result: string | undefined,
): ArchivedCallback {
  return {
    ...row,
    status: row.status as StatusCode,
    elapsedSeconds: row.elapsedSeconds ?? undefined,
    result: result as CallbackResult | undefined,
    deliveries,
  };
}

/** Of each callback, in the order in which they were planned. */
async function deliveriesOf(
  db: Kysely<Tables>,
  time: StoreTime,
  callbackIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ArchivedDelivery[]>> {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .select(standingColumns(time))
    .select(sql<number>`due_at - ${time.now}`.as('due_in_ms'))
    .where('callback_id', 'in', callbackIds)
    .orderBy('id')
    .execute();
  const grouped = new Map(callbackIds.map((id): [number, ArchivedDelivery[]] => [id, []]));
  for (const row of rows) {
    const dueInMs = row.state === 'pending' && row.due_at < WAITS_FOR_EARLIER ? row.due_in_ms : undefined;
    grouped.get(row.callback_id)?.push({ ...deliveryRecord(row), updatedAt: row.updated_at, dueInMs });
  }
  return grouped;
}

/** By their key. */
async function pausesOf(
  db: Kysely<Tables>,
  { now }: StoreTime,
  deliveries: readonly ArchivedDelivery[],
): Promise<readonly ArchivedPause[]> {
  const places = new Set(deliveries.flatMap(({ destination, channel }) => [destination, channel]));
  if (places.size === 0) return [];
  return db
    .selectFrom('paces')
    .select(['destination', sql<number>`next_at - ${now}`.as('nextInMs')])
    .where('destination', 'in', [...places])
    .where('next_at', '>', now)
    .orderBy('destination')
    .execute();
}

async function storyOf(db: Kysely<Tables>, time: StoreTime, id: number): Promise<CallbackStory | undefined> {
  const found = await db
    .selectFrom('callbacks')
    .select([...columns, 'kind', 'routing'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { kind, routing, ...row } = found;
  const deliveries = await deliveriesOf(db, time, [id]);
  const own = deliveries.get(id) ?? [];
  const history = await historyOf(db, id);
  const alerts = await db
    .selectFrom('callbacks')
    .select('id')
    .where('about', '=', id)
    .orderBy('id')
    .limit(LARGEST_PAGE)
    .execute();
  const result = history.findLast(({ answer }) => answer !== undefined)?.answer?.result;
  return {
    ...archived(row, own, result),
    kind: kind as CallbackKind,
    routing: JSON.parse(routing),
    pauses: await pausesOf(db, time, own),
    history,
    alerts: alerts.map((alert) => alert.id),
    actions: await actionsOn(db, id),
  };
}

async function historyOf(db: Kysely<Tables>, id: number): Promise<CallbackStory['history']> {
  const rows = await db
    .selectFrom('history')
    .select('entry')
    .where('callback_id', '=', id)
    .orderBy('id', 'desc')
    .limit(LARGEST_HISTORY)
    .execute();
  return rows
    .map(({ entry }) => JSON.parse(entry) as HistoryEntry)
    .map(({ attempts = [], answer }) => ({
      attempts: attempts.map(attemptIn),
      answer: answer && answerIn(answer),
    }))
    .toReversed();
}

function attemptIn(attempt: HistoryAttempt): AttemptRecord {
  const { delivery_id, started_at, duration_ms, error_code, error_message } = attempt;
  const outcome = attempt.outcome as AttemptRecord['outcome'];
  const error =
    outcome === 'delivered'
      ? undefined
      : { class: outcome satisfies FailureClass, code: error_code ?? '', message: error_message ?? '' };
  return { deliveryId: delivery_id, startedAt: started_at, durationMs: duration_ms, outcome, error };
}

function answerIn(answer: NonNullable<HistoryEntry['answer']>): AnswerRecord {
  const { received_at, answered_at, status, result } = answer;
  return { receivedAt: received_at, answeredAt: answered_at, status, result: result as CallbackResult };
}

async function deliveryWith(
  db: Kysely<Tables>,
  time: StoreTime,
  id: number,
): Promise<DeliveryOfCallback | undefined> {
  const found = await db
    .selectFrom('deliveries')
    .innerJoin('callbacks', 'callbacks.id', 'deliveries.callback_id')
    .select(['callback_id as callbackId', 'callbacks.kind as kind'])
    .where('deliveries.id', '=', id)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { callbackId, kind } = found;
  const deliveries = await deliveriesOf(db, time, [callbackId]);
  const delivery = deliveries.get(callbackId)?.find((each) => each.id === id);
  if (delivery === undefined) return undefined;
  const configHash = await configHashAt(db, delivery.updatedAt);
  return { delivery, callbackId, kind: kind as CallbackKind, configHash };
}

function toldRow(db: Kysely<Tables>, callbackId: number) {
  return db.selectFrom('callbacks').select(noticeColumns).where('id', '=', callbackId).executeTakeFirst();
}

/** Whatever is done adds a row to one of these. */
async function changeMark(db: Kysely<Tables>): Promise<ChangeMark> {
  const newest = (table: 'callbacks' | 'history' | 'refused') =>
    sql`coalesce((select max(id) from ${sql.ref(table)}), 0)`;
  const { rows } = await sql<Readonly<Record<string, number>>>`
    select ${newest('callbacks')} as callbacks, ${newest('history')} as history, ${newest('refused')} as refused`.execute(
    db,
  );
  return Object.values(rows[0] ?? {}).join(' ');
}

async function refusals(db: Kysely<Tables>, request: PageRequest): Promise<Page<ArchivedRefusal>> {
  const { before, limit } = pageOf(request);
  const most = Math.min(limit, REFUSALS_AT_ONCE);
  const rows = await db
    .selectFrom('refused')
    .selectAll()
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
  const items = rows.map((row) => ({
    id: row.id,
    receivedAt: row.received_at,
    status: row.status as RefusedStatus,
    detail: row.detail,
    errors: JSON.parse(row.errors) as ArchivedRefusal['errors'],
    from: row.remote_address,
    body: bodyText(row.body),
  }));
  return { items, next: items.length < most ? undefined : items.at(-1)?.id };
}
