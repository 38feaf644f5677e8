/** Alerts are written like callbacks of a kind of their own, and each cause is told once an hour, whichever process raises it. */
import { hash, randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { cleanText } from '../text/clean.ts';
import type { HotStatements, StatementContext } from './hot-statements.ts';
import { type Notice, noticeOf, noticeOfAlert, type RaisedAlert } from '../notice/notice.ts';
import { keptAlert, readKeptAlert } from '../notice/alert-text.ts';
import type { Alert, CallbackKind, DeliveryUpdate } from './ledger.ts';
import { callbackIn, callbackRow } from './callback-columns.ts';
import { bodyText } from './stored-body.ts';
import type { CallbackRow } from './tables.ts';

const ONCE_WITHIN_MS = 60 * 60_000;

/** An error's code is a remote's word, and PostgreSQL's indexes take 2.7 KB. */
const LONGEST_CAUSE = 300;

/** How a cause stands when alerts of it are raised. Times are milliseconds since the epoch. */
export interface CauseStanding {
  /** 0: never. */
  readonly toldAt: number;
  /** Not told since then. */
  readonly suppressed: number;
  readonly now: number;
}

/**
 * A clock that was set back must not silence a cause for long; but whoever has waited for another to tell it looked at the
 * clock before that one did.
 */
export function isDueAgain({ toldAt, now }: Pick<CauseStanding, 'toldAt' | 'now'>): boolean {
  return Math.abs(now - toldAt) >= ONCE_WITHIN_MS;
}

/**
 * Holds the cause until the transaction ends: whoever raises the same at once waits. Who raises several, holds them in the
 * order of their keys.
 */
export async function lockCause({ trx, time }: StatementContext, cause: string): Promise<CauseStanding> {
  const { told_at, suppressed, now } = await trx
    .insertInto('alert_causes')
    .values({ cause, told_at: 0, suppressed: 0 })
    .onConflict((conflict) => conflict.column('cause').doUpdateSet({ cause }))
    .returning(['told_at', 'suppressed', sql<number>`${time.now}`.as('now')])
    .executeTakeFirstOrThrow();
  return { toldAt: told_at, suppressed, now };
}

export async function writeCause(
  { trx }: StatementContext,
  cause: string,
  { toldAt, suppressed }: Pick<CauseStanding, 'toldAt' | 'suppressed'>,
): Promise<void> {
  await trx
    .updateTable('alert_causes')
    .set({ told_at: toldAt, suppressed })
    .where('cause', '=', cause)
    .execute();
}

/** As it stands in the ledger. */
export function causeKey(cause: string): string {
  const text = cleanText(cause);
  if (text.length <= LONGEST_CAUSE) return text;
  return `${text.slice(0, LONGEST_CAUSE).toWellFormed()}… ${hash('sha256', text, 'hex')}`;
}

const NO_JOB = '';

export interface AlertAbout extends Alert {
  /** The id of a callback; undefined: of none that the ledger has. */
  readonly about: number | undefined;
}

/**
 * The last rows that a transaction locks: after those of jobs and those of deliveries.
 * @param alerts of causes that were told within the hour, these are only counted
 */
export async function raiseAlerts(
  context: StatementContext,
  statements: HotStatements,
  alerts: readonly AlertAbout[],
): Promise<void> {
  for (const [cause, [first, ...others]] of byCause(alerts)) {
    const standing = await lockCause(context, cause);
    if (isDueAgain(standing)) {
      await writeAlert(context, statements, first, raisedNow(first, standing));
      await writeCause(context, cause, { toldAt: standing.now, suppressed: others.length });
    } else {
      const suppressed = standing.suppressed + 1 + others.length;
      await writeCause(context, cause, { toldAt: standing.toldAt, suppressed });
    }
  }
}

/** In the order in which all lock them. */
function byCause(alerts: readonly AlertAbout[]): [cause: string, alerts: [AlertAbout, ...AlertAbout[]]][] {
  const groups = new Map<string, [AlertAbout, ...AlertAbout[]]>();
  for (const alert of alerts) {
    if (alert.targets.length === 0) continue;
    const key = causeKey(alert.cause);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [alert]);
    else group.push(alert);
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function raisedNow(
  { subject }: Alert,
  { suppressed, now }: { readonly suppressed: number; readonly now: number },
): RaisedAlert {
  return { id: randomBytes(32).toString('hex'), raisedAt: now, suppressed, subject };
}

async function writeAlert(
  context: StatementContext,
  statements: HotStatements,
  { targets, language, about }: AlertAbout,
  raised: RaisedAlert,
): Promise<void> {
  const { id, raisedAt } = raised;
  const callback = keptAlert(raised, language);
  const body = Buffer.from(JSON.stringify(callback));
  const arrival = { callback, startedAt: raisedAt, receivedAt: raisedAt, routing: [] };
  const row = {
    ...callbackRow(arrival, body, NO_JOB, id),
    kind: 'alert' satisfies CallbackKind,
    about: about ?? null,
  };
  const [callbackId] = await statements.insertCallbacks(context, [row]);
  if (callbackId === undefined) throw new Error(`two alerts have the same id, ${id}`);
  const initial = { claim: undefined, dueInMs: 0, isTakenOver: true };
  const planned = targets.map((target) => ({
    callbackId,
    jobId: undefined,
    target,
    initial,
    isBlocked: false,
  }));
  await statements.insertDeliveries(context, planned);
}

/**
 * What the updates that counted have to tell. What lasts is told once for each delivery: the next failure of the same
 * cause tells nobody anything new.
 * @param counted ids of the deliveries whose update counted
 */
export async function alertsToRaise(
  context: StatementContext,
  updates: readonly DeliveryUpdate[],
  counted: readonly number[],
): Promise<readonly AlertAbout[]> {
  const alerts: AlertAbout[] = [];
  const ids = new Set(counted);
  for (const { id, state, alert } of updates) {
    if (alert === undefined || !ids.has(id)) continue;
    if (state !== 'pending' || (await isFirst(context, id, causeKey(alert.cause)))) {
      alerts.push({ ...alert, about: await callbackOf(context, id) });
    }
  }
  return alerts;
}

async function callbackOf({ trx }: StatementContext, deliveryId: number): Promise<number | undefined> {
  const query = trx.selectFrom('deliveries').select('callback_id').where('id', '=', deliveryId);
  return (await query.executeTakeFirst())?.callback_id;
}

async function isFirst({ trx }: StatementContext, deliveryId: number, cause: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('deliveries')
    .set({ alerted_cause: cause })
    .where('id', '=', deliveryId)
    .where((eb) => eb.or([eb('alerted_cause', 'is', null), eb('alerted_cause', '<>', cause)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What a row says, of whatever kind it is. */
export function noticeIn({
  kind,
  body,
  identity,
  started_at,
  times_received,
}: Pick<Selectable<CallbackRow>, 'kind' | 'body' | 'identity' | 'started_at' | 'times_received'>): Notice {
  return (kind as CallbackKind) === 'alert'
    ? noticeOfAlert(readKeptAlert(bodyText(body), identity ?? ''))
    : noticeOf({ callback: callbackIn(body), startedAt: started_at }, times_received);
}
