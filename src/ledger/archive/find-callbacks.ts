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

/** Where no index leaves fewer, whatever has one of so many ids. */
const IDS_AT_ONCE = 5000;

/** Whoever waits for the page gets it in a tenth of a second. */
const MOST_MS = 70;

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
  const known = await ask(idsKept);
  const lowest = filter.from === undefined ? known.lowest : await firstSince(ask, filter.from, known.highest);
  const below = filter.to === undefined ? before : await firstSince(ask, filter.to + 1, known.highest);
  const ids: number[] = [];
  let next = Math.min(before, below, known.highest + 1);
  for (;;) {
    const range = { lowest, before: next };
    const step = await ask((db) => (hasIndex(filter) ? lookAmong : lookThrough)(db, filter, range));
    ids.push(...step.ids.slice(0, limit - ids.length));
    if (ids.length === limit) return { ids, next: ids.at(-1) };
    if (step.next === undefined || clock.monotonic() >= until) return { ids, next: step.next };
    next = step.next;
    await nextTurn();
  }
}

/** Ids that are looked at, in descending order. */
interface IdRange {
  readonly lowest: number;
  readonly before: number;
}

async function idsKept(db: Kysely<Tables>): Promise<{ readonly lowest: number; readonly highest: number }> {
  // Each from an end of the index: of both in one query, all rows would be read.
  const { rows } = await sql<{ lowest: number | null; highest: number | null }>`
    select (select min(id) from callbacks) as lowest, (select max(id) from callbacks) as highest`.execute(db);
  return { lowest: rows[0]?.lowest ?? 0, highest: rows[0]?.highest ?? 0 };
}

/** An index leads to few callbacks, most of which are looked for. */
function hasIndex({ botId, jobId, state, destination }: CallbackFilter): boolean {
  const isOpen = state === 'dead' || state === 'held' || (state === 'pending' && destination !== undefined);
  return botId !== undefined || jobId !== undefined || isOpen;
}

async function lookAmong(db: Kysely<Tables>, filter: CallbackFilter, range: IdRange): Promise<Found> {
  const looked = await candidates(db, filter, range);
  const ids = await withResult(
    db,
    looked.length === 0 ? [] : await matching(db, filter).where('id', 'in', looked).execute(),
    filter,
  );
  return { ids, next: looked.length < LOOKED_AT_ONCE ? undefined : looked.at(-1) };
}

async function lookThrough(
  db: Kysely<Tables>,
  filter: CallbackFilter,
  { lowest, before }: IdRange,
): Promise<Found> {
  const from = Math.max(lowest, before - IDS_AT_ONCE);
  const rows = await matching(db, filter)
    .where('id', '>=', from)
    .where('id', '<', before)
    .limit(LOOKED_AT_ONCE)
    .execute();
  const isCut = rows.length === LOOKED_AT_ONCE;
  const ids = await withResult(db, rows, filter);
  return { ids, next: isCut ? rows.at(-1)?.id : from > lowest ? from : undefined };
}

/** Ids that may be what is looked for, in descending order, from the index that leaves the fewest. */
async function candidates(
  db: Kysely<Tables>,
  { botId, jobId, state, destination }: CallbackFilter,
  { lowest, before }: IdRange,
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
    return ofCallbacks(isOfBot(botId ?? ''));
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

/** All that is asked for but the result. */
function matching(
  db: Kysely<Tables>,
  { botId, jobId, status, state, destination, from, to }: CallbackFilter,
) {
  let query = db.selectFrom('callbacks').select('id').where('kind', '=', 'callback').orderBy('id', 'desc');
  if (botId !== undefined) query = query.where('bot_id', '=', botId);
  if (jobId !== undefined) query = query.where('job_id', '=', jobId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (from !== undefined) query = query.where('received_at', '>=', from);
  if (to !== undefined) query = query.where('received_at', '<=', to);
  if (state !== undefined || destination !== undefined) query = query.where(hasDelivery(state, destination));
  return query;
}

async function withResult(
  db: Kysely<Tables>,
  rows: readonly { readonly id: number }[],
  { result }: CallbackFilter,
): Promise<number[]> {
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
async function firstSince(ask: Ask, at: number, highest: number): Promise<number> {
  let low = 0;
  let high = highest + 1;
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
