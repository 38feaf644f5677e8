/** What is looked after beside callbacks: causes of alerts, the days of BOTs, and callbacks that nobody has counted. */
import { type Kysely, sql } from 'kysely';
import type { StatusCode } from '../../callback/callback.ts';
import type { DialectTraits } from '../dialect.ts';
import type { HotStatements, StatementContext } from '../hot-statements.ts';
import { botDaysOf, callbackIn, elapsedSeconds, keyOf } from '../callback-columns.ts';
import { isReadAtOnce, type StoredBody } from '../stored-body.ts';
import type { Tables } from '../tables.ts';

/** As long as what reached nobody: who is told of a cause after so long is told nothing of what was not told before. */
const CAUSES_KEPT_MS = 3 * 24 * 3_600_000;
/** For plots, and sums of a year. */
const DAYS_KEPT_MS = 400 * 24 * 3_600_000;

/** For whoever asks what came of a redelivery. */
const BULKS_KEPT_MS = 400 * 24 * 3_600_000;

const PER_STEP = 500;
/** Each is read, and written anew. */
const COUNTED_PER_STEP = 50;

/** Whoever may post may name as many as they like. */
const MOST_BOTS = 10_000;
const FEWEST_BOTS = 100;
/** Of each of the days that are kept. */
const BOT_BYTES = 400 * 120;
/** Of a store with a limit. */
const LARGEST_SHARE = 1 / 8;

/** @param maxBytes of the store; undefined: no limit. @returns how many BOTs of one day are kept */
export function botsKept(maxBytes: number | undefined): number {
  if (maxBytes === undefined) return MOST_BOTS;
  const within = Math.floor((maxBytes * LARGEST_SHARE) / BOT_BYTES);
  return Math.min(MOST_BOTS, Math.max(FEWEST_BOTS, within));
}

export interface TidyContext extends StatementContext {
  readonly traits: Pick<DialectTraits, 'lockRows' | 'isCompressing'>;
  readonly statements: HotStatements;
  readonly dayOf: (ms: number) => string;
  readonly mostBots: number;
  /** This process's own time. */
  readonly now: number;
}

/** @returns whether there is more to do */
export async function tidy(context: TidyContext): Promise<boolean> {
  await forgetAttempts(context);
  const more = [
    await forgetCauses(context),
    await forgetBots(context),
    await forgetDays(context),
    await forgetBulks(context),
    await countSome(context),
  ];
  return more.includes(true);
}

async function forgetCauses({ trx, traits, time }: TidyContext): Promise<boolean> {
  const old = trx
    .selectFrom('alert_causes')
    .select('cause')
    .where('told_at', '<', sql<number>`${time.now} - ${CAUSES_KEPT_MS}`)
    .limit(PER_STEP);
  const causes = (await traits.lockRows(old).execute()).map(({ cause }) => cause);
  if (causes.length > 0) await trx.deleteFrom('alert_causes').where('cause', 'in', causes).execute();
  return causes.length === PER_STEP;
}

/** Of the newest day; nobody has more of them but by naming what is not there. */
async function forgetBots({ trx, mostBots }: TidyContext): Promise<boolean> {
  const newest = trx.selectFrom('bot_days').select('day').orderBy('day', 'desc').limit(1);
  const rows = await trx
    .selectFrom('bot_days')
    .select(['bot_id', 'day'])
    .where('day', '=', newest)
    .orderBy('bot_id')
    .limit(PER_STEP)
    .offset(mostBots)
    .execute();
  const [first] = rows;
  if (first === undefined) return false;
  const ids = rows.map(({ bot_id }) => bot_id);
  await trx.deleteFrom('bot_days').where('day', '=', first.day).where('bot_id', 'in', ids).execute();
  return rows.length === PER_STEP;
}

/** Of each day there are as many as outcomes. */
async function forgetAttempts({ trx, dayOf, now }: TidyContext): Promise<void> {
  await trx
    .deleteFrom('attempt_days')
    .where('day', '<', dayOf(now - DAYS_KEPT_MS))
    .execute();
}

/** Those of one day, the oldest. */
async function forgetDays({ trx, dayOf, now }: TidyContext): Promise<boolean> {
  const oldest = await trx
    .selectFrom('bot_days')
    .select('day')
    .where('day', '<', dayOf(now - DAYS_KEPT_MS))
    .orderBy('day')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return false;
  await trx.deleteFrom('bot_days').where('day', '=', oldest.day).execute();
  return true;
}

/** The stories of callbacks go on telling who began them. */
async function forgetBulks({ trx, now }: TidyContext): Promise<boolean> {
  const old = trx
    .selectFrom('bulks')
    .select('id')
    .where('ended_at', '<', now - BULKS_KEPT_MS)
    .orderBy('id')
    .limit(PER_STEP);
  const { numDeletedRows } = await trx.deleteFrom('bulks').where('id', 'in', old).executeTakeFirst();
  return numDeletedRows === BigInt(PER_STEP);
}

const UNCOUNTED = 'uncounted';

/** Of those that were there before callbacks were counted, the newest. */
async function countSome(context: TidyContext): Promise<boolean> {
  const { trx, traits, statements } = context;
  const place = trx.selectFrom('sweeps').select('looked_at').where('sweep', '=', UNCOUNTED);
  const [row] = await traits.lockRows(place).execute();
  if (row === undefined) return false;
  const found = await uncounted(context, row.looked_at);
  const counted = found.map((each) => ({ ...each, day: context.dayOf(each.receivedAt), newId: each.id }));
  await statements.countCallbacks(context, botDaysOf(counted.filter(({ kind }) => kind === 'callback')));
  for (const { id, elapsed } of counted) {
    if (elapsed !== undefined) await setElapsed(trx, id, elapsed);
  }
  const last = found.at(-1)?.id;
  if (last === undefined) await trx.deleteFrom('sweeps').where('sweep', '=', UNCOUNTED).execute();
  else await noteUncounted(trx, last - 1);
  return last !== undefined;
}

async function uncounted({ trx, traits }: TidyContext, from: number) {
  const body = sql<StoredBody | null>`case when ${isReadAtOnce(traits.isCompressing)} then body end`.as(
    'body',
  );
  const rows = await trx
    .selectFrom('callbacks')
    .select(['id', 'kind', 'bot_id', 'bot_name', 'status', 'received_at', body])
    .where('id', '<=', from)
    .orderBy('id', 'desc')
    .limit(COUNTED_PER_STEP)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    botKey: keyOf(row.bot_id),
    botName: row.bot_name,
    status: row.status as StatusCode,
    receivedAt: row.received_at,
    elapsed: row.body === null ? undefined : elapsedSeconds(callbackIn(row.body)),
  }));
}

async function noteUncounted(trx: Kysely<Tables>, looked_at: number): Promise<void> {
  await trx.updateTable('sweeps').set({ looked_at }).where('sweep', '=', UNCOUNTED).execute();
}

async function setElapsed(trx: Kysely<Tables>, id: number, elapsed_time: number): Promise<void> {
  await trx.updateTable('callbacks').set({ elapsed_time }).where('id', '=', id).execute();
}
