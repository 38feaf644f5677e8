/** Finds callbacks, newest first, by looking at a few at a time: whatever is asked for, nobody else has to wait. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../time/clock.ts';
import { isDead, isPending } from '../pending-rows.ts';
import type { HistoryEntry, Tables } from '../tables.ts';
import type { CallbackFilter } from './archive.ts';

/** How the store is asked: each on its own, by a deadline. */
export type Ask = <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;

/** To look at so many takes some milliseconds, whatever is asked of them. */
const LOOKED_AT_ONCE = 500;

const MOST_MS = 500;

/** As many as an id has bits. */
const MOST_HALVINGS = 53;

export interface Found {
  readonly ids: readonly number[];
  /** Where to look further; undefined: nothing is left. */
  readonly next: number | undefined;
}

/** @param before ids below it are looked at */
export async function findCallbacks(
  ask: Ask,
  clock: Pick<Clock, 'monotonic'>,
  filter: CallbackFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<Found> {
  const until = clock.monotonic() + MOST_MS;
  const lowest = filter.from === undefined ? 0 : await firstSince(ask, filter.from);
  const highest = filter.to === undefined ? before : await firstSince(ask, filter.to + 1);
  const ids: number[] = [];
  let next = Math.min(before, highest);
  for (;;) {
    const from = next;
    const looked = await ask((db) => candidates(db, filter, lowest, from));
    const matching = await ask((db) => matchingAmong(db, filter, looked));
    ids.push(...matching.slice(0, limit - ids.length));
    const last = looked.at(-1);
    if (ids.length === limit) return { ids, next: ids.at(-1) };
    if (last === undefined || looked.length < LOOKED_AT_ONCE) return { ids, next: undefined };
    next = last;
    if (clock.monotonic() >= until) return { ids, next };
    await nextTurn();
  }
}

/** Ids that may be what is looked for, in descending order, from the index that leaves the fewest. */
async function candidates(
  db: Kysely<Tables>,
  { botId, jobId, state, destination }: CallbackFilter,
  lowest: number,
  before: number,
): Promise<number[]> {
  const range = (column: string) =>
    sql`${sql.ref(column)} < ${before} and ${sql.ref(column)} >= ${lowest} order by 1 desc limit ${LOOKED_AT_ONCE}`;
  const ofDeliveries = (condition: RawBuilder<unknown>) =>
    sql`select distinct callback_id as id from deliveries where ${condition} and ${range('callback_id')}`;
  const ofCallbacks = (condition: RawBuilder<unknown>) =>
    sql`select id from callbacks where ${condition} and ${range('id')}`;
  const query = () => {
    if (jobId !== undefined) {
      // In the order of their ids are only those of one status.
      return firstOf([0, 1, 2].map((status) => ofCallbacks(isOfJob(jobId, status))));
    }
    if (state === 'dead') return ofDeliveries(isDead);
    if (state === 'held') return ofDeliveries(sql`deliveries.state = 'held'`);
    if (state === 'pending' && destination !== undefined) {
      // In the order of their callbacks are only those that were given back in bulk, and only the others.
      const there = sql`${isPending} and destination = ${destination}`;
      return firstOf([0, 1].map((isBulk) => ofDeliveries(sql`${there} and is_bulk = ${sql.lit(isBulk)}`)));
    }
    return ofCallbacks(botId === undefined ? sql`1 = 1` : isOfBot(botId));
  };
  const { rows } = await (query() as RawBuilder<{ id: number }>).execute(db);
  return rows.map(({ id }) => id);
}

/** Of several ranges, each in descending order and each as long as all of it may be. */
function firstOf(ranges: readonly RawBuilder<unknown>[]) {
  const each = ranges.map((range, number) => sql`select * from (${range}) as ${sql.ref(`range${number}`)}`);
  return sql`select id from (${sql.join(each, sql` union all `)}) as every order by id desc limit ${LOOKED_AT_ONCE}`;
}

/** As the index has it. */
function isOfJob(jobId: string, status: number) {
  return sql`job_id = ${jobId} and status = ${sql.lit(status)} and kind = 'callback'`;
}

/** As the index has it. */
export function isOfBot(botId: string) {
  return sql<boolean>`substr(bot_id, 1, 200) = substr(${botId}, 1, 200) and bot_id = ${botId}`;
}

async function matchingAmong(
  db: Kysely<Tables>,
  filter: CallbackFilter,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return [];
  const { botId, jobId, status, state, destination, result, from, to } = filter;
  let query = db.selectFrom('callbacks').select('id').where('id', 'in', ids).where('kind', '=', 'callback');
  if (botId !== undefined) query = query.where('bot_id', '=', botId);
  if (jobId !== undefined) query = query.where('job_id', '=', jobId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (from !== undefined) query = query.where('received_at', '>=', from);
  if (to !== undefined) query = query.where('received_at', '<=', to);
  if (state !== undefined || destination !== undefined) query = query.where(hasDelivery(state, destination));
  const rows = await query.orderBy('id', 'desc').execute();
  const found = rows.map(({ id }) => id);
  if (result === undefined) return found;
  const results = await resultsOf(db, found);
  return found.filter((id) => results.get(id) === result);
}

function hasDelivery(state: string | undefined, destination: string | undefined) {
  const conditions = [
    sql`deliveries.callback_id = callbacks.id`,
    ...(state === undefined ? [] : [sql`deliveries.state = ${state}`]),
    ...(destination === undefined ? [] : [sql`deliveries.destination = ${destination}`]),
  ];
  return sql<boolean>`exists (select 1 from deliveries where ${sql.join(conditions, sql` and `)})`;
}

/** What each was answered last. */
export async function resultsOf(
  db: Kysely<Tables>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('callbacks')
    .select([
      'id',
      sql<string | null>`(
        select entry from history where callback_id = callbacks.id and entry like '%"answer":{%' order by history.id desc limit 1
      )`.as('entry'),
    ])
    .where('id', 'in', ids)
    .execute();
  return new Map(
    rows.flatMap(({ id, entry }): [number, string][] => {
      const answer = entry === null ? undefined : (JSON.parse(entry) as HistoryEntry).answer;
      return answer === undefined ? [] : [[id, answer.result]];
    }),
  );
}

/** The lowest id of the callbacks that came then or later, as if each had come after those with lower ids. */
async function firstSince(ask: Ask, at: number): Promise<number> {
  let low = 0;
  const newest = await ask((db) =>
    db
      .selectFrom('callbacks')
      .select((eb) => eb.fn.max('id').as('id'))
      .executeTakeFirst(),
  );
  let high = (newest?.id ?? 0) + 1;
  for (let halvings = 0; low < high && halvings < MOST_HALVINGS; halvings += 1) {
    const middle = Math.floor((low + high) / 2);
    const row = await ask((db) =>
      db
        .selectFrom('callbacks')
        .select(['id', 'received_at'])
        .where('id', '>=', middle)
        .orderBy('id')
        .limit(1)
        .executeTakeFirst(),
    );
    if (row === undefined || row.received_at >= at) high = middle;
    else low = row.id + 1;
    await nextTurn();
  }
  return high;
}
