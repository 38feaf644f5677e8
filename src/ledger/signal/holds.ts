/** Ends holds: what a rule held until now is sent, as one summary for each destination, unless another rule still holds it. */
import sql, { join, raw } from 'sql-template-tag';
import { type StatusCode, statusNameOf } from '../../callback/callback.ts';
import type { Receipt } from '../../channels/channel.ts';
import { mostTroubled, type OwnSubject, type SummarisedBot } from '../../notice/notice.ts';
import type { Telling } from '../../signal/decide.ts';
import type { Snooze } from '../../signal/rules.ts';
import type { Tx } from '../database.ts';
import { writeEach } from '../history.ts';
import { type CallbackKind, type DeliveryTarget, SUPERSEDED } from '../ledger.ts';
import { holdBack, insertRows, makePending } from '../operations/deliveries.ts';
import { lockDeliveries } from '../operations/locks.ts';
import { IS_LATE_START } from '../rows.ts';
import { openSnoozes } from './snoozes.ts';
import { writeOwnNotice } from './own-notices.ts';

/** A delivery whose hold has ended, or whose rules are to be asked again. */
export interface EndedHold extends DeliveryTarget {
  readonly id: number;
  readonly callbackId: number;
  readonly reason: string;
  readonly heldUntil: number;
  readonly snoozeId: number | undefined;
  readonly telling: Telling | undefined;
  readonly kind: CallbackKind;
  /** Cleaned. */
  readonly botId: string;
  readonly botName: string;
  /** '' if it has no job. */
  readonly jobId: string;
  readonly status: StatusCode;
  readonly receivedAt: number;
  /** It is an `executing` whose job's result is known. */
  readonly isLate: boolean;
}

export interface EndedHolds {
  /** When they were read, in milliseconds since 1970. */
  readonly asOf: number;
  /** By destination, those of one destination in the order in which they came. */
  readonly held: readonly EndedHold[];
  /** Where to go on; undefined: these are all. */
  readonly next: HoldPosition | undefined;
  readonly snoozes: readonly Snooze[];
}

/** The last hold that was read, in the order of `EndedHolds.held`. */
export type HoldPosition = Pick<EndedHold, 'destination' | 'callbackId'>;

export const BEFORE_ALL_HOLDS: HoldPosition = { destination: '', callbackId: 0 };

/** Holds read at once: their summaries are written in one transaction, which other work waits for. */
const MOST_AT_ONCE = 10_000;

/** @param anewAfter the config has changed: rules are asked again about what a mute window or a snooze holds, from there on */
export async function endedHolds(tx: Tx, anewAfter?: HoldPosition): Promise<EndedHolds> {
  const { destination: after, callbackId = 0 } = anewAfter ?? {};
  const anew =
    after === undefined
      ? raw('')
      : sql`OR (reason IN ('mute', 'snooze') AND (destination, callback_id) > (${after}, ${callbackId}))`;
  // What a snooze holds that somebody has ended, even if that was while it was being held.
  const isOver = sql`held_until <= ${tx.now} OR snooze_id IN (SELECT id FROM snoozes WHERE until_at <= ${tx.now})`;
  const some = await tx.all<EndedHold>(sql`
    SELECT deliveries.id, callback_id, destination, channel, address, reason, held_until, snooze_id, telling, kind, bot_id,
      bot_name, job_id, status, received_at, CASE WHEN ${IS_LATE_START} THEN 1 ELSE 0 END AS is_late
    FROM deliveries JOIN callbacks ON callbacks.id = callback_id
    WHERE held_until IS NOT NULL AND (${isOver} ${anew})
    ORDER BY destination, callback_id LIMIT ${MOST_AT_ONCE}`);
  const held = some.length < MOST_AT_ONCE ? some : withoutLastDestination(some);
  const next = some.length < MOST_AT_ONCE ? undefined : held.at(-1);
  return { asOf: tx.now, held, next, snoozes: held.length === 0 ? [] : await openSnoozes(tx) };
}

/** Leaves out a destination of which there may be more, so that its summary tells all; unless there is no other. */
function withoutLastDestination(held: readonly EndedHold[]): readonly EndedHold[] {
  const whole = held.filter(({ destination }) => destination !== held.at(-1)?.destination);
  return whole.length === 0 ? held : whole;
}

/** A hold by another rule. */
export interface HeldOn {
  readonly reason: string;
  readonly heldUntil: number;
  readonly snoozeId: number | undefined;
}

/** What an ended hold leads to: another hold, superseded, a delivery by itself (no route names it any more), or a summary. */
export interface HoldDecision {
  readonly held: EndedHold;
  readonly outcome: HeldOn | typeof SUPERSEDED | 'pending' | 'summary';
}

export async function endHolds(tx: Tx, decisions: readonly HoldDecision[]): Promise<void> {
  if (decisions.length === 0) return;
  const alikeOf = ({ outcome, held }: HoldDecision) =>
    JSON.stringify(outcome === 'summary' ? [outcome, held.destination] : outcome);
  for (const alike of grouped(await stillHeld(tx, decisions), alikeOf)) {
    const rows = alike.map(({ held }) => held);
    const outcome = alike[0]?.outcome;
    if (outcome === 'summary') await summarise(tx, rows);
    else if (outcome === 'pending') await release(tx, rows);
    else if (outcome === SUPERSEDED) await holdBack(tx, rows, SUPERSEDED);
    else if (outcome !== undefined) await holdOn(tx, rows, outcome);
  }
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** Leaves out holds that another process has ended or changed first. */
async function stillHeld(tx: Tx, decisions: readonly HoldDecision[]): Promise<readonly HoldDecision[]> {
  const ids = decisions.map(({ held }) => held.id);
  await lockDeliveries(tx, ids);
  const rows = await tx.all<Pick<EndedHold, 'id' | 'heldUntil'>>(
    sql`SELECT id, held_until FROM deliveries WHERE id IN (${join(ids)})`,
  );
  const untils = new Map(rows.map(({ id, heldUntil }) => [id, heldUntil]));
  return decisions.filter(({ held }) => untils.get(held.id) === held.heldUntil);
}

async function holdOn(tx: Tx, rows: readonly EndedHold[], hold: HeldOn): Promise<void> {
  const { reason, heldUntil, snoozeId } = hold;
  await tx.all(sql`
    UPDATE deliveries SET reason = ${reason}, held_until = ${heldUntil}, snooze_id = ${snoozeId}
    WHERE id IN (${join(rows.map(({ id }) => id))})`);
  await writeEach(tx, rows, 'held', { result: reason, entry: { endsAt: heldUntil } });
}

async function release(tx: Tx, rows: readonly EndedHold[]): Promise<void> {
  await makePending(tx, rows, { countsAnew: false });
  await writeEach(tx, rows, 'released');
}

/** @param rows of one destination, at least one */
async function summarise(tx: Tx, rows: readonly EndedHold[]): Promise<void> {
  const subject = summaryOf(rows);
  const summaryId = await writeOwnNotice(tx, { kind: 'summary', subject: JSON.stringify(subject) });
  await insertRows(tx, { callbackId: summaryId, jobKey: undefined, targets: rows.slice(0, 1).map(placeOf) });
  await tx.all(sql`
    UPDATE deliveries SET summary_id = ${summaryId}, held_until = NULL, updated_at = ${tx.now}
    WHERE id IN (${join(rows.map(({ id }) => id))})`);
  await writeEach(tx, rows, 'summarised', { entry: { summaryId } });
}

function placeOf({ destination, channel, address }: EndedHold): DeliveryTarget {
  return { destination, channel, address };
}

/** The most jobs that a summary names of a BOT, the newest. */
const MOST_JOBS = 20;

type Held = Omit<
  EndedHold,
  keyof HeldOn | 'id' | 'callbackId' | 'channel' | 'address' | 'telling' | 'isLate'
> &
  Pick<EndedHold, 'reason'>;

/** The BOT with the most trouble first. @param held at one destination, at least one, in the order in which they came */
export function summaryOf(held: readonly Held[]): OwnSubject<'summary'> {
  const { destination = '', reason = '', receivedAt: since = 0 } = held[0] ?? {};
  const lastAt = held.at(-1)?.receivedAt ?? since;
  const named = mostTroubled(grouped(held, ({ botId }) => botId).map(summarisedBot));
  return { template: 'summary', destination, reason, since, lastAt, count: held.length, ...named };
}

/** Named as in its newest message. */
function summarisedBot(messages: readonly Held[]): SummarisedBot {
  const { botId: bot_id = '', botName: bot_name = '' } = messages.at(-1) ?? {};
  const jobs = new Set(messages.map(({ jobId }) => jobId).filter((jobId) => jobId !== ''));
  const occasions = messages.map((message) =>
    message.kind === 'callback' ? statusNameOf(message) : message.kind,
  );
  const countOf = (name: string) => occasions.filter((occasion) => occasion === name).length;
  return {
    bot_id,
    bot_name,
    succeeded: countOf('succeeded'),
    errors: countOf('error'),
    executing: countOf('executing'),
    missed: countOf('missed'),
    overdue: countOf('overdue'),
    jobs: [...jobs].slice(-MOST_JOBS),
  };
}

/** Marks the deliveries that a summary contains as delivered, with the summary's receipt. */
export async function tellSummarised(tx: Tx, summaryId: number, receipt: Receipt | undefined): Promise<void> {
  const rows = await tx.all<{ id: number; callbackId: number }>(sql`
    UPDATE deliveries SET state = 'delivered', receipt = ${receipt}, reason = NULL,
      updated_at = ${tx.now}
    WHERE summary_id = ${summaryId} AND state = 'held' RETURNING id, callback_id`);
  await writeEach(tx, rows, 'told_in_summary', { entry: { summaryId } });
}
