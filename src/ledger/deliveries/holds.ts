/** Ends holds: what a rule held until now is sent, as one summary for each destination or, if it is one message, as itself. */
import sql, { join } from 'sql-template-tag';
import { statusNameOf } from '../../callback/callback.ts';
import type { Receipt } from '../../channels/channel.ts';
import { mostTroubled, type OwnSubject, type SummarisedBot } from '../../notice/notice.ts';
import type { Telling } from '../../signal/decide.ts';
import { inChunks, type Tx } from '../database.ts';
import type { ArchivedCallback } from '../archive/archive.ts';
import { type HistoryWhat, writeEach } from '../callbacks/history.ts';
import { beginAfterHolds, type FirstStep } from '../incidents/escalations.ts';
import type { DecidedTarget, DeliveryTarget, NOT_ASKED_FOR, SUPERSEDED } from '../ledger.ts';
import { holdBack, insertRows, makePending } from './deliveries.ts';
import { HAS_FAILED_AGAIN, IS_OVER } from './rows.ts';
import { openSnoozes } from '../timers/snoozes.ts';
import { writeOwnNotice } from '../callbacks/own-notices.ts';
import { destinationOf, endTimer, type Timer } from '../timers/timers.ts';

/** A delivery whose hold has ended, or whose rules are to be asked again. */
export interface EndedHold
  extends
    DeliveryTarget,
    HeldOn,
    Pick<ArchivedCallback, 'kind' | 'botId' | 'botName' | 'jobId' | 'status' | 'receivedAt'> {
  readonly botKey: string;
  readonly id: number;
  readonly callbackId: number;
  readonly telling: Telling | undefined;
  readonly error: string | undefined;
  /** What it says is no longer true. */
  readonly isOver: boolean;
  /** It says that its BOT works again, which has failed since. */
  readonly hasFailedAgain: boolean;
}

export interface HeldOn {
  readonly reason: string;
  readonly heldUntil: number;
  readonly snoozeId: number | undefined;
}

const AT_ONCE = 5000;

/**
 * What is held at a destination until now, and what a mute window or a snooze holds longer: the config may have changed, or somebody
 * have ended the snooze.
 * @param after the callback of the last one that was read
 * @returns in the order in which they came; `isMore`: there may be more behind the last one
 */
export async function endedHolds(tx: Tx, destination: string, after = 0) {
  const held = await tx.all<EndedHold>(sql`
    SELECT deliveries.id, callback_id, destination, channel, address, reason, held_until, snooze_id, telling, kind, bot_key, bot_id,
      bot_name, job_id, status, received_at, error, ${IS_OVER} AS is_over, ${HAS_FAILED_AGAIN} AS has_failed_again
    FROM deliveries JOIN callbacks ON callbacks.id = callback_id
    WHERE held_until IS NOT NULL AND destination = ${destination} AND callback_id > ${after}
      AND (held_until <= ${tx.now} OR reason IN ('mute', 'snooze'))
    ORDER BY callback_id LIMIT ${AT_ONCE}`);
  return { asOf: tx.now, held, isMore: held.length === AT_ONCE, snoozes: await openSnoozes(tx) };
}

export type HeldRow = Pick<EndedHold, 'id' | 'callbackId'>;

/** Another hold, the end of it for good, a delivery as itself (told so, or `pending`: with no route that names it any more), or a part of the summary. */
export type HoldOutcome = HeldOn | ForGood | { readonly telling: Telling } | 'pending' | 'summary';

export type ForGood = typeof SUPERSEDED | typeof NOT_ASKED_FOR;

export interface HoldsEnd {
  readonly timer: Pick<Timer, 'key' | 'dueAt'>;
  readonly ends: readonly { readonly outcome: HoldOutcome; readonly rows: readonly HeldRow[] }[];
  readonly summary: { readonly subject: OwnSubject<'summary'>; readonly to: DecidedTarget };
  /** By the BOT's key: the routes with steps that tell of its troubles now. */
  readonly escalating: ReadonlyMap<string, readonly FirstStep[]>;
}

/** Writes it, unless the timer is not this process's any more. */
export async function endHolds(tx: Tx, { timer, ends, summary, escalating }: HoldsEnd): Promise<void> {
  if (!(await endTimer(tx, timer))) return;
  const held = await tx.all<HeldRow>(sql`
    SELECT id, callback_id FROM deliveries WHERE held_until IS NOT NULL AND destination = ${destinationOf(timer)}
    ORDER BY id ${tx.forUpdate}`);
  const callbackOf = new Map(held.map(({ id, callbackId }) => [id, callbackId]));
  for (const { outcome, rows } of ends) {
    const chunks = inChunks(
      rows.filter(({ id, callbackId }) => callbackOf.get(id) === callbackId),
      AT_ONCE,
    );
    if (outcome === 'summary') await summarise(tx, summary, chunks);
    else for (const some of chunks) await endOne(tx, outcome, some);
  }
  await beginAfterHolds(tx, escalating);
}

async function endOne(tx: Tx, outcome: Exclude<HoldOutcome, 'summary'>, rows: readonly HeldRow[]) {
  if (outcome === 'pending') await release(tx, rows);
  else if (typeof outcome === 'string') await holdBack(tx, rows, outcome);
  else if ('telling' in outcome) await release(tx, rows, outcome.telling);
  else await holdOn(tx, rows, outcome);
}

async function holdOn(tx: Tx, rows: readonly HeldRow[], hold: HeldOn): Promise<void> {
  const { reason, heldUntil, snoozeId } = hold;
  await tx.all(sql`
    UPDATE deliveries SET reason = ${reason}, held_until = ${heldUntil}, snooze_id = ${snoozeId}
    WHERE id IN (${join(rows.map(({ id }) => id))})`);
  await writeEach(tx, rows, 'held', { result: reason, entry: { endsAt: heldUntil } });
}

async function release(tx: Tx, rows: readonly HeldRow[], telling?: Telling): Promise<void> {
  await makePending(tx, rows, { countsAnew: false });
  if (telling !== undefined)
    await tx.all(
      sql`UPDATE deliveries SET telling = ${telling} WHERE id IN (${join(rows.map(({ id }) => id))})`,
    );
  await writeEach(tx, rows, 'released');
}

async function summarise(
  tx: Tx,
  { subject, to }: HoldsEnd['summary'],
  chunks: readonly (readonly HeldRow[])[],
): Promise<void> {
  if (chunks.length === 0) return;
  const written = await writeOwnNotice(tx, { kind: 'summary', subject: JSON.stringify(subject) });
  const { callbackId: summaryId } = written;
  await insertRows(tx, { ...written, jobKey: undefined, targets: [to] });
  for (const rows of chunks)
    await tx.all(sql`
      UPDATE deliveries SET summary_id = ${summaryId}, held_until = NULL, updated_at = ${tx.now}
      WHERE id IN (${join(rows.map(({ id }) => id))})`);
  await writeOfSummary(tx, summaryId, 'summarised');
}

/** Writes a row of history for each delivery that the summary contains; one statement, since they may be many. */
async function writeOfSummary(tx: Tx, summaryId: number, what: HistoryWhat): Promise<void> {
  await tx.all(sql`
    INSERT INTO history (callback_id, at, what, delivery_id, entry)
    SELECT callback_id, CAST(${tx.now} AS BIGINT), CAST(${what} AS TEXT), id, CAST(${JSON.stringify({ summaryId })} AS TEXT)
    FROM deliveries WHERE summary_id = ${summaryId} ORDER BY id`);
}

/** The most jobs that a summary names of a BOT, the newest. */
const MOST_JOBS = 20;

type Held = Pick<
  EndedHold,
  'destination' | 'reason' | 'kind' | 'botId' | 'botName' | 'jobId' | 'status' | 'receivedAt' | 'error'
>;

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A BOT while its messages are counted; named as in its newest one. */
type CountedBot = Mutable<Omit<SummarisedBot, 'jobs'>> & { readonly jobs: string[] };

const NOTHING_COUNTED = { bot_name: '', succeeded: 0, errors: 0, executing: 0, missed: 0, overdue: 0 };

/** By a callback's status, or a notice's kind. */
const COUNTERS: Readonly<Record<string, 'succeeded' | 'errors' | 'executing' | 'missed' | 'overdue'>> = {
  succeeded: 'succeeded',
  error: 'errors',
  executing: 'executing',
  missed: 'missed',
  overdue: 'overdue',
};

/** What a summary says of a destination, counted message by message, so that no number of them fills the memory. */
export class Counted {
  readonly #bots = new Map<string, CountedBot>();
  #first: Held | undefined;
  #lastAt = 0;
  #count = 0;

  /** @param held each at the same destination, in the order in which they came */
  add(held: Held): void {
    this.#first ??= held;
    this.#lastAt = held.receivedAt;
    this.#count += 1;
    const bot = this.#bots.get(held.botId) ?? { ...NOTHING_COUNTED, bot_id: held.botId, jobs: [] };
    this.#bots.set(held.botId, bot);
    bot.bot_name = held.botName;
    const counter = COUNTERS[held.kind === 'callback' ? statusNameOf(held) : held.kind];
    if (counter !== undefined) bot[counter] += 1;
    if (counter === 'errors')
      bot.lastError = { text: held.error ?? '', at: held.receivedAt, jobId: held.jobId };
    if (held.jobId === '' || bot.jobs.includes(held.jobId)) return;
    bot.jobs.push(held.jobId);
    if (bot.jobs.length > MOST_JOBS) bot.jobs.shift();
  }

  get subject(): OwnSubject<'summary'> {
    const { destination = '', reason = '', receivedAt: since = 0 } = this.#first ?? {};
    const counted = { since, lastAt: this.#lastAt, count: this.#count };
    return {
      template: 'summary',
      destination,
      reason,
      ...counted,
      ...mostTroubled([...this.#bots.values()]),
    };
  }
}

/** Marks the deliveries that a summary contains as delivered, with the summary's receipt. */
export async function tellSummarised(tx: Tx, summaryId: number, receipt: Receipt | undefined): Promise<void> {
  const told = await tx.all(sql`
    UPDATE deliveries SET state = 'delivered', receipt = ${receipt}, reason = NULL, updated_at = ${tx.now}
    WHERE summary_id = ${summaryId} AND state = 'held' RETURNING id`);
  if (told.length > 0) await writeOfSummary(tx, summaryId, 'told_in_summary');
}
