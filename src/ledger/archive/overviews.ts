/** What people see at a glance: BOTs, days, and dead letters by their cause. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { cleanText } from '../../text/clean.ts';
import { isDead, isPending } from '../pending-rows.ts';
import { keysFor } from '../callback-columns.ts';
import type { BotDayRow, Tables } from '../tables.ts';
import type {
  ArchivedAttempts,
  ArchivedBot,
  ArchivedDay,
  Counted,
  DeadLetters,
  OpenWork,
} from './archive.ts';
import type { Ask } from './find-callbacks.ts';

/** Of each BOT, all days are looked at. */
const BOTS_AT_ONCE = 50;

/** Looked at, newest first, so many at once. */
const MOST_DEAD = 10_000;
const DEAD_AT_ONCE = 250;
/** From BOT to BOT by the key of their days, and of each its newest one. */
export async function botsAfter(
  db: Kysely<Tables>,
  since: string,
  after: string,
): Promise<readonly ArchivedBot[]> {
  const { rows } = await sql<{ bot_id: string }>`
    with recursive each(bot_id, number) as (
      select min(bot_id), 1 from bot_days where bot_id > ${cleanText(after)}
      union all
      select (select min(bot_id) from bot_days where bot_days.bot_id > each.bot_id), number + 1
      from each where each.bot_id is not null and number < ${BOTS_AT_ONCE}
    )
    select bot_id from each where bot_id is not null`.execute(db);
  return botsWith(
    db,
    since,
    rows.map((row) => row.bot_id),
  );
}

export async function botsWith(
  db: Kysely<Tables>,
  since: string,
  keys: readonly string[],
): Promise<readonly ArchivedBot[]> {
  if (keys.length === 0) return [];
  const latest = (column: keyof BotDayRow) => sql<number>`max(${sql.ref(column)})`;
  const rows = await db
    .selectFrom('bot_days')
    .select([
      'bot_id as botId',
      sql<string>`(
        select newest.bot_name from bot_days as newest where newest.bot_id = bot_days.bot_id order by day desc limit 1
      )`.as('botName'),
      latest('last_callback_id').as('lastCallbackId'),
      latest('last_received_at').as('lastReceivedAt'),
      latest('last_succeeded_at').as('lastSucceededAt'),
      latest('last_failed_at').as('lastFailedAt'),
      ...sums((column) => sql<number>`sum(case when day >= ${since} then ${sql.ref(column)} else 0 end)`),
    ])
    .where('bot_id', 'in', keys)
    .groupBy('bot_id')
    .orderBy('bot_id')
    .execute();
  return rows.map(({ succeeded, failed, started, retries, elapsedSeconds, ...bot }) => ({
    ...bot,
    lastReceivedAt: bot.lastReceivedAt || undefined,
    lastSucceededAt: bot.lastSucceededAt || undefined,
    lastFailedAt: bot.lastFailedAt || undefined,
    counts: { succeeded, failed, started, retries, elapsedSeconds },
  }));
}

export function sums(sumOf: (column: keyof BotDayRow) => RawBuilder<number>) {
  return [
    sumOf('succeeded').as('succeeded'),
    sumOf('failed').as('failed'),
    sumOf('started').as('started'),
    sumOf('retries').as('retries'),
    sumOf('elapsed_time').as('elapsedSeconds'),
  ] as const;
}

/** What is over is counted no more, but for what came before an upgrade. */
const KNOWN_FOR_MS = 5 * 60_000;
const MOST_KNOWN = 1000;

/** After so long, a day is over wherever the display is. */
const OVER_AFTER_MS = 2 * 86_400_000;

/** Sums of days that are over, of all BOTs: each has as many rows as there are BOTs. */
export class DaysOver {
  readonly #now: () => number;
  #known = new Map<string, ArchivedDay>();
  #readAt = 0;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The first day from there on, where that is known. */
  from(from: string): ArchivedDay | undefined {
    const isOld = Math.abs(this.#now() - this.#readAt) > KNOWN_FOR_MS || this.#known.size > MOST_KNOWN;
    if (!isOld) return this.#known.get(from);
    this.#known = new Map();
    this.#readAt = this.#now();
    return undefined;
  }

  keep(from: string, day: ArchivedDay): void {
    const isOver = day.day < new Date(this.#now() - OVER_AFTER_MS).toISOString().slice(0, 10);
    if (isOver) this.#known.set(from, day);
  }
}

/** One day at a time: each has as many rows as there are BOTs. */
export async function daysSince(
  ask: Ask,
  since: string,
  botId: string | undefined,
  over: DaysOver,
): Promise<ArchivedDay[]> {
  const found: ArchivedDay[] = [];
  for (let from = since; ;) {
    const known = botId === undefined ? over.from(from) : undefined;
    const day = known ?? (await ask((db) => firstDay(db, from, botId)));
    if (day === undefined) return found;
    if (known === undefined && botId === undefined) over.keep(from, day);
    if (known === undefined) await nextTurn();
    found.push(day);
    from = `${day.day}~`;
  }
}

/** @param from a day, or what is greater than it and less than the next one */
async function firstDay(
  db: Kysely<Tables>,
  from: string,
  botId: string | undefined,
): Promise<ArchivedDay | undefined> {
  const days = db
    .selectFrom('bot_days')
    .$if(botId !== undefined, (query) => query.where('bot_id', 'in', keysFor(botId ?? '')));
  const first = days.select('day').where('day', '>=', from).orderBy('day').limit(1);
  return days
    .select(['day', ...sums((column) => sql<number>`sum(${sql.ref(column)})`)])
    .where('day', '=', first)
    .groupBy('day')
    .executeTakeFirst();
}

export async function deadLetters(
  ask: Ask,
): Promise<{ readonly groups: readonly DeadLetters[]; readonly isComplete: boolean }> {
  const groups = new Map<string, DeadGroup>();
  let looked = 0;
  for (let before = Number.MAX_SAFE_INTEGER; looked < MOST_DEAD; await nextTurn()) {
    const below = before;
    const rows = await ask((db) => deadBelow(db, below));
    for (const row of rows) addTo(groups, row);
    looked += rows.length;
    before = rows.at(-1)?.id ?? 0;
    if (rows.length < DEAD_AT_ONCE) break;
  }
  const isComplete = looked < MOST_DEAD;
  const ordered = [...groups.values()].toSorted((a, b) => b.count - a.count);
  return { groups: await withTimes(ask, ordered), isComplete };
}

type DeadGroup = Omit<DeadLetters, 'oldestAt' | 'newestAt'>;

const TIMES_AT_ONCE = 250;

async function withTimes(ask: Ask, groups: readonly DeadGroup[]): Promise<readonly DeadLetters[]> {
  const ids = [...new Set(groups.flatMap(({ oldestId, newestId }) => [oldestId, newestId]))];
  const times = new Map<number, number>();
  for (let from = 0; from < ids.length; from += TIMES_AT_ONCE) {
    const some = ids.slice(from, from + TIMES_AT_ONCE);
    const rows = await ask((db) =>
      db.selectFrom('callbacks').select(['id', 'received_at']).where('id', 'in', some).execute(),
    );
    for (const { id, received_at } of rows) times.set(id, received_at);
    await nextTurn();
  }
  // What was forgotten meanwhile is dead no more.
  return groups.flatMap((group) => {
    const oldestAt = times.get(group.oldestId);
    const newestAt = times.get(group.newestId);
    return oldestAt === undefined || newestAt === undefined ? [] : [{ ...group, oldestAt, newestAt }];
  });
}

function deadBelow(db: Kysely<Tables>, before: number) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'callback_id', 'destination', 'error_class', 'error_code'])
    .where(isDead)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(DEAD_AT_ONCE)
    .execute();
}

function addTo(
  groups: Map<string, DeadGroup>,
  { destination, error_class, error_code, callback_id }: Awaited<ReturnType<typeof deadBelow>>[number],
): void {
  const errorClass = error_class ?? '';
  const errorCode = error_code ?? '';
  const key = JSON.stringify([destination, errorClass, errorCode]);
  const known = groups.get(key);
  groups.set(key, {
    destination,
    errorClass,
    errorCode,
    count: (known?.count ?? 0) + 1,
    oldestId: Math.min(known?.oldestId ?? callback_id, callback_id),
    newestId: Math.max(known?.newestId ?? callback_id, callback_id),
  });
}

export async function attemptsSince(db: Kysely<Tables>, since: string): Promise<readonly ArchivedAttempts[]> {
  const rows = await db
    .selectFrom('attempt_days')
    .selectAll()
    .where('day', '>=', since)
    .orderBy('day')
    .orderBy('outcome')
    .execute();
  return rows.map((row) => ({ ...row, outcome: row.outcome as ArchivedAttempts['outcome'] }));
}

const MOST_COUNTED = 1000;

/** Each from an index of its own. */
export async function openWork(db: Kysely<Tables>): Promise<OpenWork> {
  return {
    pending: await counted(db, sql`select 1 from deliveries where ${isPending}`),
    dead: await counted(db, sql`select 1 from deliveries where ${isDead}`),
    refused: await counted(db, sql`select 1 from refused where id > 0`),
  };
}

async function counted(db: Kysely<Tables>, rows: RawBuilder<unknown>): Promise<Counted> {
  const query = sql<{ count: number }>`
    select count(*) as count from (${rows} limit ${MOST_COUNTED + 1}) as looked_at`;
  const count = (await query.execute(db)).rows[0]?.count ?? 0;
  return { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED };
}
