/** The archive over Kysely, on either database. */
import { type Kysely, sql } from 'kysely';
import { type Clock, Deadline } from '../../time/clock.ts';
import type { StoreReader } from '../dialect.ts';
import type { CallbackKind } from '../ledger.ts';
import type { StoreTime } from '../rows.ts';
import { readBody } from '../stored-body.ts';
import type { Tables } from '../tables.ts';
import { unavailable } from '../timed-store.ts';
import type { Archive, ChangeMark, DeliveryOfCallback, PageRequest } from './archive.ts';
import { keysFor } from '../callback-columns.ts';
import { configHashAt, configsLoaded, destinationsNamed } from './standings.ts';
import {
  attemptsSince,
  botsAfter,
  botsWith,
  DaysOver,
  daysSince,
  deadLetters,
  openWork,
} from './overviews.ts';
import { noticeColumns, unreadNoticeIn } from '../due/due.ts';
import { countsOf, everyBot, failedRuns, lastRuns, runsSince } from './bot-runs.ts';
import { callbacksWith, deliveriesOf } from './archived-callbacks.ts';
import { type Ask, findCallbacks } from './find-callbacks.ts';
import { refusals } from './refusals.ts';
import { storyOf } from './stories.ts';

const TIMEOUT_MS = 5000;
const COMMON_PAGE = 50;
const LARGEST_PAGE = 500;

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
  const over = new DaysOver(() => clock.now());
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
    days: (since, botId) => daysSince(ask, since, botId, over),
    attempts: (since) => ask((db) => attemptsSince(db, since)),
    deadLetters: () => deadLetters(ask),
    openWork: () => ask(openWork),
    refusals: (request = {}) => ask((db) => refusals(db, pageOf(request))),
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
