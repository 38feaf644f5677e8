/** Ends holds: what a rule held until now is sent, as one summary for each destination or, if it is one message, as itself. */
import sql, { join } from 'sql-template-tag';
import { statusNameOf } from '../../callback/callback.ts';
import type { Receipt } from '../../channels/channel.ts';
import type { Telling } from '../../signal/decide.ts';
import type { Snooze } from '../../signal/rules.ts';
import { inChunks, type Tx } from '../database.ts';
import type { HistoryWhat } from '../callbacks/history.ts';
import { beginAfterHolds, type FirstStep } from '../incidents/escalations.ts';
import type { DeliveryTarget, NOT_ASKED_FOR, SUPERSEDED } from '../ledger.ts';
import { updateRows, holdBack, makePending } from './deliveries.ts';
import { deliveriesWhere, type DeliveryRow, lockHeldRows } from './rows.ts';
import { ASKED_AGAIN_MS } from '../timers/admission.ts';
import { destinationOf, endTimer, openSnoozes, type Timer } from '../timers/timers.ts';
import { writeOwnNotice } from '../callbacks/own-notices.ts';
import { mostTroubled, type OwnSubject, type SummarisedBot } from '../../notice/notice.ts';

/** A delivery whose hold has ended, or whose rules are to be asked again. */
export type EndedHold = DeliveryRow & HeldOn;

interface HeldOn {
  readonly reason: string;
  readonly heldUntil: number;
  readonly snoozeId: number | undefined;
}

/** What becomes of a held message: told now, held further, never told, or pending, since no route names it any more. */
export type HoldOutcome = ToldNow | HeldOn | typeof SUPERSEDED | typeof NOT_ASKED_FOR | 'pending';

export interface ToldNow {
  /** The first route that tells it, by name; undefined: not known. */
  readonly route: string | undefined;
  /** A route names it still. */
  readonly isPlanned: boolean;
  /** The routes with steps that tell it now. */
  readonly escalating: readonly FirstStep[];
}

export interface HoldRules {
  /** @param askedAgainAt until when it is held if the end of the hold is not known */
  readonly decide: (held: EndedHold, askedAgainAt: number, known: KnownNow) => HoldOutcome;
  /** By name, in the order of the config. */
  readonly routes: readonly string[];
}

export interface KnownNow {
  readonly now: number;
  readonly snoozes: readonly Snooze[];
}

const AT_ONCE = 5000;

/**
 * Decides about messages at the timer's destination whose hold has ended, and about those that a mute window or a snooze holds longer: the
 * config may have changed, or somebody may have ended the snooze. Does nothing if this process's claim on the timer was lost.
 */
export async function endHolds(
  tx: Tx,
  timer: Pick<Timer, 'key' | 'dueAt'>,
  { decide, routes }: HoldRules,
): Promise<void> {
  if (!(await endTimer(tx, timer))) return;
  const destination = destinationOf(timer);
  await lockHeldRows(tx, destination);
  const known = { now: tx.now, snoozes: await openSnoozes(tx) };
  const told = new Told(routes);
  for (let after = 0, isMore = true; isMore;) {
    const held = await heldAfter(tx, destination, after);
    const outcomeOf = alikeAtOnce(decide, known);
    const others = new Map<Exclude<HoldOutcome, ToldNow>, EndedHold[]>();
    for (const each of held) {
      const outcome = outcomeOf(each);
      if (isTold(outcome)) told.add(each, outcome);
      else if (!others.get(outcome)?.push(each)) others.set(outcome, [each]);
    }
    for (const [outcome, rows] of others)
      if (outcome === 'pending') await release(tx, rows);
      else if (typeof outcome === 'string') await holdBack(tx, rows, outcome);
      else await holdOn(tx, rows, outcome);
    after = held.at(-1)?.callbackId ?? after;
    isMore = held.length === AT_ONCE;
  }
  await told.write(tx);
}

function isTold(outcome: HoldOutcome): outcome is ToldNow {
  return typeof outcome === 'object' && 'isPlanned' in outcome;
}

/** In the order in which they came. */
async function heldAfter(tx: Tx, destination: string, after: number): Promise<readonly EndedHold[]> {
  const held = (await deliveriesWhere(
    tx,
    sql`held_until IS NOT NULL AND destination = ${destination} AND callback_id > ${after}
      AND (held_until <= ${tx.now} OR reason IN ('mute', 'snooze'))
    ORDER BY callback_id LIMIT ${AT_ONCE}`,
  )) as readonly EndedHold[];
  return held.map((each) => (each.hasFailedAgain ? withoutRecovery(each) : each));
}

/** A success after which the BOT has failed again is no recovery any more. */
function withoutRecovery(held: EndedHold): EndedHold {
  const { isOutdated, telling } = held;
  const isOnlyThat = telling?.isOnlyRecovery === true;
  return { ...held, isOutdated: isOutdated || isOnlyThat, telling: { ...telling, occasion: undefined } };
}

function alikeAtOnce(decide: HoldRules['decide'], known: KnownNow): (held: EndedHold) => HoldOutcome {
  const outcomes = new Map<string, HoldOutcome>();
  return (held) => {
    const { kind, botId, status, telling, isOutdated, heldUntil } = held;
    const askedAgainAt = heldUntil > known.now ? heldUntil : known.now + ASKED_AGAIN_MS;
    const key = JSON.stringify([kind, botId, status, telling, isOutdated, askedAgainAt]);
    const outcome = outcomes.get(key) ?? decide(held, askedAgainAt, known);
    outcomes.set(key, outcome);
    return outcome;
  };
}

async function holdOn(tx: Tx, all: readonly EndedHold[], hold: HeldOn): Promise<void> {
  const { reason, heldUntil, snoozeId } = hold;
  const isSame = (row: EndedHold) =>
    reason === row.reason && heldUntil === row.heldUntil && snoozeId === row.snoozeId;
  const rows = all.filter((row) => !isSame(row));
  const held = sql`reason = ${reason}, held_until = ${heldUntil}, snooze_id = ${snoozeId}`;
  await updateRows(tx, rows, held, 'held', { result: reason, entry: { endsAt: heldUntil } });
}

function release(tx: Tx, rows: readonly EndedHold[], telling?: Telling): Promise<void> {
  return makePending(tx, rows, { countsAnew: false, telling }, 'released');
}

/** The messages that are told now: one alone as itself, several as one summary. */
class Told {
  /** The routes' places in the config, by name. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #ids: number[] = [];
  readonly #counted = new SummaryTally();
  #first: (EndedHold & ToldNow) | undefined;
  /** The first route that tells trouble, else the first that tells. */
  #teller: string | undefined;
  #rank = Infinity;
  /** By the BOT's key: the routes with steps that tell of its troubles now. */
  readonly #escalating = new Map<string, readonly FirstStep[]>();

  constructor(routes: readonly string[]) {
    this.#places = new Map(routes.map((name, place) => [name, place]));
  }

  add(held: EndedHold, tells: ToldNow): void {
    this.#ids.push(held.id);
    this.#first ??= { ...held, ...tells };
    this.#counted.add(held);
    const isOfTrouble = held.kind !== 'callback' || statusNameOf(held) === 'error';
    if (isOfTrouble && tells.escalating.length > 0) {
      const known = this.#escalating.get(held.botKey) ?? [];
      const others = tells.escalating.filter(([name]) => !known.some(([route]) => route === name));
      this.#escalating.set(held.botKey, [...known, ...others]);
    }
    const place = this.#places.get(tells.route ?? '') ?? Infinity;
    const rank = isOfTrouble ? place : this.#places.size + place;
    if (rank >= this.#rank) return;
    this.#rank = rank;
    this.#teller = tells.route;
  }

  async write(tx: Tx): Promise<void> {
    const first = this.#first;
    if (first === undefined) return;
    const { receivedAt: heldSince, route } = first;
    const alone = { ...first.telling, heldSince, wantedBy: route === undefined ? [] : [route] };
    if (first.isPlanned && this.#ids.length === 1) await release(tx, [first], alone);
    else await this.#summarise(tx, first);
    await beginAfterHolds(tx, this.#escalating);
  }

  async #summarise(tx: Tx, { destination }: DeliveryTarget): Promise<void> {
    const subject = JSON.stringify(this.#counted.subject);
    const telling = this.#teller === undefined ? undefined : { wantedBy: [this.#teller] };
    const targets = [{ destination, telling }];
    const { callbackId: summaryId } = await writeOwnNotice(tx, { kind: 'summary', subject }, targets);
    for (const ids of inChunks(this.#ids, AT_ONCE))
      await tx.all(sql`
        UPDATE deliveries SET summary_id = ${summaryId}, held_until = NULL, updated_at = ${tx.now}
        WHERE id IN (${join(ids)})`);
    await writeOfSummary(tx, summaryId, 'summarised');
  }
}

/** Writes a row of history for each delivery that the summary contains; one statement, since they may be many. */
async function writeOfSummary(tx: Tx, summaryId: number, what: HistoryWhat): Promise<void> {
  await tx.all(sql`
    INSERT INTO history (callback_id, at, what, delivery_id, entry)
    SELECT callback_id, CAST(${tx.now} AS BIGINT), CAST(${what} AS TEXT), id, CAST(${JSON.stringify({ summaryId })} AS TEXT)
    FROM deliveries WHERE summary_id = ${summaryId} ORDER BY id`);
}

/** Marks the deliveries that a summary contains as delivered, with the summary's receipt. */
export async function markSummarised(tx: Tx, summaryId: number, receipt: Receipt | undefined): Promise<void> {
  const told = await tx.all(sql`
    UPDATE deliveries SET state = 'delivered', receipt = ${receipt}, reason = NULL, updated_at = ${tx.now}
    WHERE summary_id = ${summaryId} AND state = 'held' RETURNING id`);
  if (told.length > 0) await writeOfSummary(tx, summaryId, 'told_in_summary');
}

const MOST_JOBS = 20;

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A BOT while its messages are counted; named as in its newest one. */
type CountedBot = Mutable<Omit<SummarisedBot, 'jobs'>> & { readonly jobs: string[] };

/** Callbacks are counted by status, notices by kind. */
const COUNTED = ['succeeded', 'errors', 'executing', 'missed', 'overdue'] as const;
const NOTHING_COUNTED = { bot_name: '', succeeded: 0, errors: 0, executing: 0, missed: 0, overdue: 0 };

/** What a summary says of a destination, counted message by message, so that no number of them fills the memory. */
export class SummaryTally {
  readonly #bots = new Map<string, CountedBot>();
  #first: EndedHold | undefined;
  #lastAt = 0;
  #count = 0;

  /** @param held each at the same destination, in the order in which they came */
  add(held: EndedHold): void {
    this.#first ??= held;
    this.#lastAt = held.receivedAt;
    this.#count += 1;
    const bot = this.#bots.get(held.botId) ?? { ...NOTHING_COUNTED, bot_id: held.botId, jobs: [] };
    this.#bots.set(held.botId, bot);
    bot.bot_name = held.botName;
    const what = held.kind === 'callback' ? statusNameOf(held) : held.kind;
    const counter = COUNTED.find((each) => each === (what === 'error' ? 'errors' : what));
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
