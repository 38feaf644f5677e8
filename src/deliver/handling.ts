/** One callback while it is handled: what came, the time there is for it, and the writing down of what came of its deliveries. */
import type { CheckedCallback } from '../callback/callback.ts';
import type {
  Admission,
  DeliveryRecord,
  DeliveryUpdate,
  HistoryRecord,
  Ledger,
  Settlement,
} from '../ledger/ledger.ts';
import type { Notice } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import { alertTargetsIn, type Subject, withAlert } from './alerts.ts';
import type { Occupancy } from './capacity.ts';
import type { DeliveriesUnderWay, DeliveryUnderWay } from './deliveries-under-way.ts';
import {
  attemptRecords,
  judge,
  mustSurvive,
  type OutcomeContext,
  type Standing,
  updateAfter,
  type Verdict,
  withRefusal,
} from './outcome.ts';
import type { SendResult } from './sender.ts';
import { type Plan, plannedFor, type Settings } from './settings.ts';

/** One POST, from the moment its body was there: how slowly the sender sends is not the answer's time. */
export interface Incoming extends CheckedCallback {
  /** The JSON that it was read from, in UTF-8. */
  readonly body: Uint8Array;
  readonly receivedAt: number;
  /** The same moment by the monotonic clock. */
  readonly arrivedAt: number;
  /** What the callback takes of memory is in use until this has settled, even if its answer is out before. */
  readonly keepUntil: (late: Promise<unknown>) => void;
}

/** Of `answer_within`, and at most so much; a store that works needs a hundredth of it. */
const SHARE = 0.05;
const MOST_MS = 250;

/** For the answer itself to be on its way. */
const ANSWERING = 0.4;

/** Of `answer_within`: whose turn in its job comes later would hardly be told in time, and all who wait stop at once. */
const WAITING = 3 / 4;

export interface TimeBudget {
  /** Whoever waits for his turn in a job waits until here, by the monotonic clock. */
  readonly waitUntil: number;
  /** Whoever is to be told is told until here, by the monotonic clock. */
  readonly tellUntil: number;
  /** The store is waited for until here, whatever it is asked. */
  readonly writeUntil: number;
  /** An outcome that comes later than it should, since the process is busy, is waited for so many milliseconds all the same. */
  readonly leastWriteMs: number;
}

export function timeBudgetOf(arrivedAt: number, answerWithinMs: number): TimeBudget {
  const answerBy = arrivedAt + answerWithinMs;
  const reserveMs = Math.min(answerWithinMs * SHARE, MOST_MS);
  const waitUntil = arrivedAt + answerWithinMs * WAITING;
  const leastWriteMs = reserveMs * ANSWERING;
  return { waitUntil, tellUntil: answerBy - reserveMs, writeUntil: answerBy - leastWriteMs, leastWriteMs };
}

/** Milliseconds for which the store is waited for to write down what came of the attempts. */
export function timeToWrite({ writeUntil, leastWriteMs }: TimeBudget, now: number): number {
  return Math.max(leastWriteMs, writeUntil - now);
}

/** A callback, its deliveries, and what they have in common. */
export interface Handling {
  readonly incoming: Incoming;
  /** In force when it came, and its own to the end. */
  readonly settings: Settings;
  readonly admission: Admission;
  readonly notice: Notice;
  readonly plan: Plan;
  readonly budget: TimeBudget;
  readonly occupancy: Occupancy;
  /** Its deliveries that are this request's to make, by their ids. */
  readonly underWay: ReadonlyMap<number, DeliveryUnderWay>;
}

export interface Finished {
  readonly record: DeliveryRecord;
  readonly sent: SendResult;
}

export type MilestoneName = 'delivered_late' | 'taken_over' | 'given_up' | 'held';

export interface Milestone
  extends
    Pick<Subject, 'notice' | 'firstReceivedAt'>,
    Pick<DeliveryRecord, 'destination' | 'attempts' | 'lastError' | 'hold'> {
  readonly name: MilestoneName;
}

export function milestone(
  name: MilestoneName,
  { record: { destination }, notice, firstReceivedAt }: Subject,
  { attempts, lastError, hold }: Pick<DeliveryUpdate, 'attempts' | 'lastError' | 'hold'>,
): Milestone {
  return { name, notice, destination, attempts, lastError, hold, firstReceivedAt };
}

/** @param isLate nobody waits for it: its answer, if it had one, is out */
export function milestoneAfter(
  update: DeliveryUpdate,
  subject: Subject,
  isLate: boolean,
): Milestone | undefined {
  const name = nameOf(update, subject.record, isLate);
  return name && milestone(name, subject, update);
}

function nameOf(
  { state, isTakenOver }: DeliveryUpdate,
  record: DeliveryRecord,
  isLate: boolean,
): MilestoneName | undefined {
  if (state === 'delivered') return isLate ? 'delivered_late' : undefined;
  if (state === 'dead') return 'given_up';
  if (state === 'held') return 'held';
  return isTakenOver && !record.isTakenOver ? 'taken_over' : undefined;
}

export interface OutcomeWriterDependencies {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'settle'>;
  readonly underWay: DeliveriesUnderWay;
  /** In [0, 1). */
  readonly random: () => number;
  /** Something for these destinations is the worker's to deliver now. */
  readonly onDue: (destinations: readonly string[]) => void;
  readonly onMilestone: (milestone: Milestone) => void;
  /** An outcome could not be written down, or was and is not flushed yet (`LedgerUnflushed`). */
  readonly onUnwritten: (error: unknown) => void;
}

export class OutcomeWriter {
  readonly #dependencies: OutcomeWriterDependencies;

  constructor(dependencies: OutcomeWriterDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @param early of these, by their records' ids, what was handed to `finish` already
   * @throws {LedgerUnavailable} where what is still to be done could not be written down
   */
  async answer(
    handling: Handling,
    finished: readonly Finished[],
    early: ReadonlySet<number>,
    others: readonly DeliveryRecord[],
  ): Promise<Verdict> {
    const { clock, onUnwritten } = this.#dependencies;
    const { incoming, admission, budget } = handling;
    const standings = standingsOf(handling, finished, others);
    const verdict = judge(standings, admission.isSuperseded, this.#contextOf(handling));
    const { status, result } = verdict;
    const answer = { receivedAt: incoming.receivedAt, answeredAt: clock.now(), status, result };
    const left = finished.filter(({ record }) => !early.has(record.id));
    const updates = verdict.updates
      .filter(({ id }) => !early.has(id))
      .map((update) => alerting(handling, update));
    try {
      const withinMs = timeToWrite(budget, clock.monotonic());
      await this.#settle(handling, updates, left, { answer, isDurable: mustSurvive(verdict), withinMs });
    } catch (error) {
      // That everybody was told stays true when it cannot be written; whatever is still to be done must not be answered 200.
      if (status === 200 && mustSurvive(verdict)) throw error;
      onUnwritten(error);
    }
    this.#conclude(handling, updates, false);
    return verdict;
  }

  /** A failure comes here only when it is late: the callback has been answered already. */
  async finish(handling: Handling, { record, sent }: Finished, isLate: boolean): Promise<void> {
    const updated = updateAfter(asTakenOver(handling, record), sent, this.#contextOf(handling));
    const updates = [alerting(handling, withRefusal(updated))];
    const isDurable = updated.state !== 'delivered';
    try {
      await this.#settle(handling, updates, [{ record, sent }], { answer: undefined, isDurable });
    } finally {
      this.#conclude(handling, updates, isLate);
    }
  }

  /** What nobody wrote down is free when its claim ends. */
  abandon({ underWay }: Handling): void {
    for (const delivery of underWay.values()) this.#dependencies.underWay.end(delivery, 'open');
  }

  /** What was taken over, or waited for one of these, is the worker's from then on, and so are alerts. */
  async #settle(
    { admission: { callbackId, deliveries } }: Handling,
    updates: readonly DeliveryUpdate[],
    finished: readonly Finished[],
    { answer, isDurable, withinMs }: Ending,
  ): Promise<void> {
    const { ledger, onDue } = this.#dependencies;
    const attempts = finished.flatMap(({ record, sent }) => attemptRecords(record, sent));
    const settlement = { deliveries: updates, history: { callbackId, attempts, answer }, isDurable };
    const { hasReleased } = await ledger.settle(settlement, withinMs);
    if (!hasReleased && updates.every(({ state }) => state === 'delivered')) return;
    const isDue = ({ state, isTakenOver, dueInMs }: DeliveryUpdate) =>
      state === 'pending' ? isTakenOver && dueInMs === 0 : hasReleased;
    const due = new Set(updates.filter(isDue).map(({ id }) => id));
    const destinations = deliveries.filter(({ id }) => due.has(id)).map(({ destination }) => destination);
    onDue([...destinations, ...alertTargetsIn(updates)]);
  }

  /** Also where it could not be written down: the ledger keeps that, and writes it as soon as it can. */
  #conclude(handling: Handling, updates: readonly DeliveryUpdate[], isLate: boolean): void {
    const { underWay, onMilestone } = this.#dependencies;
    for (const update of updates) {
      const delivery = handling.underWay.get(update.id);
      if (delivery !== undefined) underWay.end(delivery, update.state === 'pending' ? 'open' : 'finished');
      const reached = milestoneAfter(update, subjectOf(handling, update), isLate);
      if (reached !== undefined) onMilestone(reached);
    }
  }

  #contextOf({ settings }: Handling): OutcomeContext {
    return { policy: settings.delivery, random: this.#dependencies.random() };
  }
}

/** How a callback's deliveries are written down. */
interface Ending extends Pick<Settlement, 'isDurable'>, Pick<HistoryRecord, 'answer'> {
  readonly withinMs?: number;
}

/** @param update of one of its deliveries */
function subjectOf({ admission, notice }: Handling, { id }: DeliveryUpdate): Subject {
  const record = admission.deliveries.find((each) => each.id === id) as DeliveryRecord;
  return { record, notice, firstReceivedAt: admission.firstReceivedAt };
}

function alerting(handling: Handling, update: DeliveryUpdate): DeliveryUpdate {
  if (update.state === 'delivered') return update;
  const subject = subjectOf(handling, update);
  // What is told elsewhere from now on is mended.
  const isRouted = plannedFor(subject.record, handling.plan) !== undefined;
  return isRouted ? withAlert(update, subject, handling.settings.alerts) : update;
}

/**
 * How each delivery stands when the answer is due.
 * @param others as somebody else's attempts have left them
 */
function standingsOf(
  handling: Handling,
  finished: readonly Finished[],
  others: readonly DeliveryRecord[],
): Standing[] {
  const results = new Map(finished.map(({ record, sent }) => [record.id, sent]));
  const latest = new Map(others.map((record) => [record.id, record]));
  return handling.admission.deliveries.map((record) => {
    const sent = results.get(record.id);
    const other = latest.get(record.id);
    if (other !== undefined) return { record: other, sent, isBeingMade: other.isClaimed };
    return { record: asTakenOver(handling, record), sent, isBeingMade: sent === undefined };
  });
}

/** As it stands since another request for the same callback was answered that it is taken over. */
function asTakenOver({ underWay }: Handling, record: DeliveryRecord): DeliveryRecord {
  const isNews = !record.isTakenOver && underWay.get(record.id)?.isTakenOver === true;
  return isNews ? { ...record, isTakenOver: true } : record;
}
