/** How BOTs do: each at a glance, its last runs, and what its errors said. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { StatusCode } from '../../callback/callback.ts';
import { EXECUTING, keyOf } from '../callback-columns.ts';
import type { Tables } from '../tables.ts';
import type { BotStanding, Counts, FailedRun, Run, Runs } from './archive.ts';
import { type Ask, isOfBot } from './find-callbacks.ts';
import { sums } from './overviews.ts';

/** To look at so many takes some ten milliseconds of the store. */
const BOTS_AT_ONCE = 1000;
const CALLBACKS_AT_ONCE = 1000;
const RUNS_AT_ONCE = 25;

/** Per day, no more are counted. */
const MOST_BOTS = 10_000;

/** Of one BOT, over weeks. */
const MOST_CALLBACKS = 2000;

/** Each run has a callback when it begins and one when it ends. */
const CALLBACKS_A_RUN = 2;

const LAST = Number.MAX_SAFE_INTEGER;

/** Of the newest ones. */
const MOST_ERRORS = 100;
const ERRORS_AT_ONCE = 50;

/** What is larger is deflated, or takes long to parse. */
const LARGEST_READ_BYTES = 8192;

/** From BOT to BOT by the key of their days; of each its newest day, and the newest one with a result. */
export async function everyBot(
  ask: Ask,
): Promise<{ readonly bots: readonly BotStanding[]; readonly isComplete: boolean }> {
  const bots: BotStanding[] = [];
  for (let after = ''; bots.length < MOST_BOTS; await nextTurn()) {
    const from = after;
    const some = await ask((db) => botsFrom(db, from));
    bots.push(...some);
    after = some.at(-1)?.botId ?? '';
    if (some.length < BOTS_AT_ONCE) return { bots, isComplete: true };
  }
  return { bots, isComplete: false };
}

async function botsFrom(db: Kysely<Tables>, after: string): Promise<readonly BotStanding[]> {
  const { rows } = await sql<StandingRow>`
    with recursive each_bot(bot_id, number) as (
      select min(bot_id), 1 from bot_days where bot_id > ${after}
      union all
      select (select min(bot_id) from bot_days where bot_days.bot_id > each_bot.bot_id), number + 1
      from each_bot where each_bot.bot_id is not null and number < ${BOTS_AT_ONCE}
    )
    select each_bot.bot_id, newest.bot_name, newest.last_callback_id, newest.last_received_at,
      result.last_succeeded_at, result.last_failed_at
    from each_bot
    join bot_days as newest on newest.bot_id = each_bot.bot_id and newest.day = (
      select day from bot_days where bot_id = each_bot.bot_id order by day desc limit 1
    )
    left join bot_days as result on result.bot_id = each_bot.bot_id and result.day = case
      when newest.succeeded > 0 or newest.failed > 0 then newest.day
      else (
        select day from bot_days where bot_id = each_bot.bot_id and (succeeded > 0 or failed > 0) order by day desc limit 1
      ) end
    order by each_bot.bot_id`.execute(db);
  return rows.map(standingIn);
}

interface StandingRow {
  readonly bot_id: string;
  readonly bot_name: string;
  readonly last_callback_id: number;
  readonly last_received_at: number;
  readonly last_succeeded_at: number | null;
  readonly last_failed_at: number | null;
}

function standingIn(row: StandingRow): BotStanding {
  const succeededAt = row.last_succeeded_at ?? 0;
  const failedAt = row.last_failed_at ?? 0;
  return {
    botId: row.bot_id,
    botName: row.bot_name,
    lastCallbackId: row.last_callback_id,
    lastReceivedAt: row.last_received_at || undefined,
    lastResultAt: Math.max(succeededAt, failedAt) || undefined,
    isFailing: failedAt > succeededAt,
  };
}

/** What came of each since then. */
export async function countsOf(
  db: Kysely<Tables>,
  botIds: readonly string[],
  since: string,
): Promise<ReadonlyMap<string, Counts>> {
  if (botIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('bot_days')
    .select(['bot_id', ...sums((column) => sql<number>`sum(${sql.ref(column)})`)])
    .where('bot_id', 'in', botIds)
    .where('day', '>=', since)
    .groupBy('bot_id')
    .execute();
  return new Map(rows.map(({ bot_id, ...counts }) => [bot_id, counts]));
}

/** Most services post either only the end of a run, or its beginning as well. */
export async function lastRuns(
  ask: Ask,
  bots: readonly Pick<BotStanding, 'botId' | 'lastCallbackId'>[],
  most: number,
): Promise<ReadonlyMap<string, readonly Run[]>> {
  const found = new Map<string, readonly RunRow[]>(bots.map(({ botId }) => [botId, []]));
  let sought: readonly SoughtRuns[] = await Promise.all(
    bots.map(async (bot) => ({ key: bot.botId, botId: await ask((db) => wholeIdOf(db, bot)), before: LAST })),
  );
  for (let reads = 0; reads < CALLBACKS_A_RUN && sought.length > 0; reads += 1) {
    const read = await callbacksOfEach(ask, sought, most);
    sought = sought.flatMap((each, index) => {
      const rows = [...(found.get(each.key) ?? []), ...(read[index] ?? [])];
      found.set(each.key, rows);
      const isComplete = (read[index]?.length ?? 0) < most || runsIn(rows).length >= most;
      return isComplete ? [] : [{ ...each, before: rows.at(-1)?.id ?? 0 }];
    });
  }
  return new Map([...found].map(([botId, rows]) => [botId, runsIn(rows).slice(0, most)]));
}

/** Where the callbacks of a BOT are read on. */
interface SoughtRuns {
  /** As the archive names the BOT. */
  readonly key: string;
  /** As its callbacks do. */
  readonly botId: string;
  readonly before: number;
}

/** A few BOTs in one statement. */
async function callbacksOfEach(
  ask: Ask,
  sought: readonly SoughtRuns[],
  most: number,
): Promise<readonly (readonly RunRow[])[]> {
  const found: RunRow[][] = sought.map(() => []);
  for (let from = 0; from < sought.length; from += RUNS_AT_ONCE) {
    const some = sought.slice(from, from + RUNS_AT_ONCE);
    const { rows } = await ask((db) => {
      const parts = some.map(
        ({ botId, before }, index) =>
          sql`select ${sql.lit(from + index)} as place, part.* from (${callbacksBelow(db, botId, before, most)}) as part`,
      );
      return sql<RunRow & { readonly place: number }>`${sql.join(parts, sql` union all `)}`.execute(db);
    });
    for (const { place, ...row } of rows) found[place]?.push(row);
  }
  return found;
}

/** @param since milliseconds since the epoch */
export async function runsSince(
  ask: Ask,
  bot: Pick<BotStanding, 'botId' | 'lastCallbackId'>,
  since: number,
): Promise<Runs> {
  const botId = await ask((db) => wholeIdOf(db, bot));
  const found: RunRow[] = [];
  for (let before = LAST; found.length < MOST_CALLBACKS; await nextTurn()) {
    const from = before;
    const some = await ask((db) => callbacksBelow(db, botId, from, CALLBACKS_AT_ONCE).execute());
    found.push(...some.filter(({ receivedAt }) => receivedAt >= since));
    const last = some.at(-1);
    if (last === undefined || some.length < CALLBACKS_AT_ONCE || last.receivedAt < since)
      return { runs: runsIn(found), isComplete: true };
    before = last.id;
  }
  return { runs: runsIn(found), isComplete: false };
}

type RunRow = Awaited<ReturnType<ReturnType<typeof callbacksBelow>['execute']>>[number];

function callbacksBelow(db: Kysely<Tables>, botId: string, before: number, limit: number) {
  return db
    .selectFrom('callbacks')
    .select([
      'id',
      'job_id as jobId',
      'status',
      'started_at as startedAt',
      'received_at as receivedAt',
      'elapsed_time as elapsedSeconds',
    ])
    .where(isOfBot(botId))
    .where('id', '<', before)
    .where('kind', '=', 'callback')
    .orderBy('id', 'desc')
    .limit(limit);
}

/** Of each job its result, else its beginning; the one that came last first. */
function runsIn(callbacks: readonly RunRow[]): readonly Run[] {
  const runs = new Map<string, Run>();
  for (const { id, status, elapsedSeconds, ...row } of callbacks) {
    const known = runs.get(row.jobId);
    if (known !== undefined && (known.status !== EXECUTING || status === EXECUTING)) continue;
    const run = {
      ...row,
      callbackId: id,
      status: status as StatusCode,
      elapsedSeconds: elapsedSeconds ?? undefined,
    };
    runs.set(row.jobId, run);
  }
  return [...runs.values()];
}

/** Of an id that is too long for a key, all of what callbacks have of it. */
async function wholeIdOf(
  db: Kysely<Tables>,
  { botId, lastCallbackId }: Pick<BotStanding, 'botId' | 'lastCallbackId'>,
): Promise<string> {
  if (keyOf(botId) === botId) return botId;
  const row = await db
    .selectFrom('callbacks')
    .select('bot_id')
    .where('id', '=', lastCallbackId)
    .executeTakeFirst();
  return row?.bot_id ?? botId;
}

/** Of the newest of them, by whatever was read of their callbacks. */
export async function failedRuns(ask: Ask, runs: readonly Run[]): Promise<readonly FailedRun[]> {
  const ids = runs
    .filter(({ status }) => status === 1)
    .slice(0, MOST_ERRORS)
    .map(({ callbackId }) => callbackId);
  const found: FailedRun[] = [];
  for (let from = 0; from < ids.length; from += ERRORS_AT_ONCE) {
    const some = ids.slice(from, from + ERRORS_AT_ONCE);
    found.push(...(await ask((db) => errorsWith(db, some))));
    await nextTurn();
  }
  return found;
}

async function errorsWith(db: Kysely<Tables>, ids: readonly number[]): Promise<readonly FailedRun[]> {
  const rows = await db
    .selectFrom('callbacks')
    .select([
      'id',
      'received_at as receivedAt',
      sql`case when octet_length(body) <= ${LARGEST_READ_BYTES} then body end`.as('body'),
    ])
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ id, receivedAt, body }) => ({
    callbackId: id,
    receivedAt,
    message: typeof body === 'string' ? messageIn(body) : undefined,
  }));
}

/** It was checked when it came. */
function messageIn(body: string): string | undefined {
  const { message } = JSON.parse(body) as { readonly message?: unknown };
  return typeof message === 'string' ? message : undefined;
}
