/** The end of holds: what a rule held back until now is told, one summary for each destination, unless another rule still holds it. */
import sql, { join, type Sql } from 'sql-template-tag';
import { type StatusCode, statusNameOf } from '../../callback/callback.ts';
import type { Receipt } from '../../channels/channel.ts';
import type { HeldMessages } from '../../notice/notice.ts';
import type { Snooze } from '../../signal/rules.ts';
import { summaryOf } from '../../signal/summary.ts';
import type { Tx } from '../database.ts';
import { writeEach } from '../history.ts';
import { type CallbackKind, type DeliveryTarget, SUPERSEDED } from '../ledger.ts';
import { holdBack, insertRows, makePending } from '../operations/deliveries.ts';
import { lockDeliveries } from '../operations/locks.ts';
import { IS_LATE_START } from '../rows.ts';
import { openSnoozes } from './snoozes.ts';
import { writeOwnNotice } from './own-notices.ts';

/** Deliveries whose hold has ended, and of which every rule says the same. */
export interface EndedHold extends DeliveryTarget {
  readonly kind: CallbackKind;
  readonly botKey: string;
  /** Cleaned. */
  readonly botId: string;
  readonly status: StatusCode;
}

export interface EndedHolds {
  /** Milliseconds since 1970: what ended by then. */
  readonly asOf: number;
  readonly groups: readonly EndedHold[];
  readonly snoozes: readonly Snooze[];
}

const MOST_GROUPS = 10_000;

export async function endedHolds(tx: Tx): Promise<EndedHolds> {
  const groups = await tx.all<EndedHold>(sql`
    SELECT destination, channel, address, kind, bot_key, min(bot_id) AS bot_id, status
    FROM deliveries JOIN callbacks ON callbacks.id = callback_id
    WHERE held_until <= ${tx.now} GROUP BY destination, channel, address, kind, bot_key, status
    ORDER BY destination LIMIT ${MOST_GROUPS}`);
  const snoozes = groups.length === 0 ? [] : await openSnoozes(tx);
  return { asOf: tx.now, groups, snoozes };
}

/** Another rule holds them. */
export interface HeldOn {
  readonly reason: string;
  readonly heldUntil: number;
  readonly snoozeId: number | undefined;
}

/** What becomes of them: held by another rule, delivered each by itself (no route names it any more), or told as one. */
export interface HoldDecision {
  readonly group: EndedHold;
  readonly outcome: HeldOn | 'pending' | 'summary';
}

export async function endHolds(tx: Tx, asOf: number, decisions: readonly HoldDecision[]): Promise<void> {
  for (const { group, outcome } of decisions) {
    if (typeof outcome === 'object') await holdOn(tx, asOf, group, outcome);
    else if (outcome === 'pending') await release(tx, asOf, group);
  }
  const summarised = decisions.filter(({ outcome }) => outcome === 'summary').map(({ group }) => group);
  const places = new Map(summarised.map((group) => [group.destination, group]));
  for (const place of places.values()) await summarise(tx, asOf, place);
}

/** The config has changed, and may hold something else: a snooze's hold, too, may have gone on by a mute window. */
export async function askMutesAgain(tx: Tx): Promise<void> {
  await tx.all(
    sql`UPDATE deliveries SET held_until = ${tx.now} WHERE held_until > ${tx.now} AND reason IN ('mute', 'snooze')`,
  );
}

function among(asOf: number, { destination, kind, botKey, status }: EndedHold): Sql {
  return sql`destination = ${destination} AND held_until <= ${asOf} AND EXISTS (
    SELECT 1 FROM callbacks WHERE id = callback_id AND kind = ${kind} AND bot_key = ${botKey} AND status = ${status})`;
}

async function holdOn(tx: Tx, asOf: number, group: EndedHold, hold: HeldOn): Promise<void> {
  const { reason, heldUntil, snoozeId } = hold;
  const rows = await tx.all<{ id: number; callbackId: number }>(sql`
    UPDATE deliveries SET reason = ${reason}, held_until = ${heldUntil}, snooze_id = ${snoozeId}
    WHERE ${among(asOf, group)} RETURNING id, callback_id`);
  const entry = { endsAt: heldUntil };
  await writeEach(tx, await unsaid(tx, rows, reason, entry), 'held', { result: reason, entry });
}

/** Those of which the history does not say so yet: each start asks all mute windows again. */
async function unsaid<Row extends { readonly id: number; readonly callbackId: number }>(
  tx: Tx,
  rows: readonly Row[],
  reason: string,
  entry: object,
): Promise<readonly Row[]> {
  if (rows.length === 0) return rows;
  const said = await tx.all<{ deliveryId: number }>(sql`
    SELECT delivery_id FROM history WHERE callback_id IN (${join(rows.map(({ callbackId }) => callbackId))})
      AND what = 'held' AND result = ${reason} AND entry = ${JSON.stringify(entry)}`);
  const ids = new Set(said.map(({ deliveryId }) => deliveryId));
  return rows.filter(({ id }) => !ids.has(id));
}

async function release(tx: Tx, asOf: number, group: EndedHold): Promise<void> {
  const rows = await heldRows(tx, among(asOf, group));
  await makePending(tx, rows, { countsAnew: false });
  await writeEach(tx, rows, 'released');
}

interface HeldRow {
  readonly id: number;
  readonly callbackId: number;
  readonly destination: string;
  readonly reason: string;
  readonly kind: string;
  readonly botId: string;
  readonly botName: string;
  readonly jobId: string;
  readonly status: StatusCode;
  readonly receivedAt: number;
}

/** More than a summary names: the next one tells the rest. */
const MOST_AT_ONCE = 10_000;

/** Locked; in the order in which they came. A start whose result has come is left out, and superseded. */
async function heldRows(tx: Tx, which: Sql): Promise<readonly HeldRow[]> {
  const found = await tx.all<{ id: number }>(
    sql`SELECT id FROM deliveries WHERE ${which} ORDER BY held_until, id LIMIT ${MOST_AT_ONCE}`,
  );
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  await lockDeliveries(tx, ids);
  // Of two processes that end the same hold, the second one finds nothing left.
  const rows = await tx.all<HeldRow & { readonly isLate: boolean }>(sql`
    SELECT deliveries.id, callback_id, destination, reason, kind, bot_id, bot_name, job_id, status, received_at,
      CASE WHEN ${IS_LATE_START} THEN 1 ELSE 0 END AS is_late
    FROM deliveries JOIN callbacks ON callbacks.id = callback_id
    WHERE deliveries.id IN (${join(ids)}) AND held_until <= ${tx.now} ORDER BY callback_id`);
  await holdBack(
    tx,
    rows.filter(({ isLate }) => isLate),
    SUPERSEDED,
  );
  return rows.filter(({ isLate }) => !isLate);
}

async function summarise(tx: Tx, asOf: number, place: EndedHold): Promise<void> {
  const rows = await heldRows(tx, sql`destination = ${place.destination} AND held_until <= ${asOf}`);
  if (rows.length === 0) return;
  const subject = JSON.stringify(subjectOf(place.destination, rows));
  const summaryId = await writeOwnNotice(tx, { kind: 'summary', subject });
  const { destination, channel, address } = place;
  const targets = [{ destination, channel, address }];
  await insertRows(tx, { callbackId: summaryId, jobKey: undefined, targets });
  await tx.all(sql`
    UPDATE deliveries SET summary_id = ${summaryId}, held_until = NULL, updated_at = ${tx.now}
    WHERE id IN (${join(rows.map(({ id }) => id))})`);
  await writeEach(tx, rows, 'summarised', { entry: { summaryId } });
}

/** What a summary names; the rest is counted. */
const MOST_BOTS = 50;

function subjectOf(destination: string, rows: readonly HeldRow[]): HeldMessages {
  const messages = rows.map(({ kind, status, jobId, receivedAt: at, ...bot }) => ({
    ...bot,
    jobId: jobId === '' ? undefined : jobId,
    status: kind === 'callback' ? statusNameOf({ status }) : undefined,
    at,
  }));
  const { bots, ...summary } = summaryOf(messages);
  const moreBots = Math.max(0, bots.length - MOST_BOTS);
  const reason = rows[0]?.reason ?? '';
  return { template: 'summary', destination, reason, ...summary, bots: bots.slice(0, MOST_BOTS), moreBots };
}

/** What a summary told is delivered, by its receipt. */
export async function tellSummarised(tx: Tx, summaryId: number, receipt: Receipt | undefined): Promise<void> {
  const rows = await tx.all<{ id: number; callbackId: number }>(sql`
    UPDATE deliveries SET state = 'delivered', receipt = ${receipt}, reason = NULL,
      updated_at = ${tx.now}
    WHERE summary_id = ${summaryId} AND state = 'held' RETURNING id, callback_id`);
  await writeEach(tx, rows, 'told_in_summary', { entry: { summaryId } });
}
