/** Writes down what came of a callback’s deliveries, and has whoever it concerns told. */
import type { DeliveryRecord, DeliveryUpdate, Ledger, Settled, Settlement } from '../ledger/ledger.ts';
import { type Notice, noticeOf } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import { alertTargetsIn, withAlert } from './alerts.ts';
import type { DeliveriesUnderWay } from './deliveries-under-way.ts';
import {
  attemptsOf,
  type Finished,
  type Handling,
  type FanOut,
  standingsOf,
  timeToWrite,
} from './handling.ts';
import {
  attemptRecords,
  judge,
  mustSurvive,
  type OutcomeContext,
  updateAfter,
  type Verdict,
  withRefusal,
} from './outcome.ts';
import { plannedFor } from './settings.ts';

export type MilestoneName = 'delivered_late' | 'taken_over' | 'given_up' | 'held';

/** A delivery as it stood before, and what it is to tell. */
export interface Subject {
  readonly record: DeliveryRecord;
  readonly notice: Notice;
  /** Milliseconds since the epoch. */
  readonly firstReceivedAt: number;
}

export interface Milestone
  extends
    Pick<Subject, 'notice' | 'firstReceivedAt'>,
    Pick<DeliveryRecord, 'destination' | 'attempts' | 'lastError' | 'hold'> {
  readonly name: MilestoneName;
}

/** @param isLate nobody waits for it: its answer, if it had one, is out */
export function milestoneAfter(
  update: DeliveryUpdate,
  subject: Subject,
  isLate: boolean,
): Milestone | undefined {
  const name = nameOf(update, subject.record, isLate);
  return name && milestone(name, subject, { ...update, hold: update.hold });
}

/** The service has not retried it in time. */
export function takeOver(subject: Subject): Milestone {
  return milestone('taken_over', subject, subject.record);
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

function milestone(
  name: MilestoneName,
  { record: { destination }, notice, firstReceivedAt }: Subject,
  { attempts, lastError, hold }: Pick<Milestone, 'attempts' | 'lastError' | 'hold'>,
): Milestone {
  return { name, notice, destination, attempts, lastError, hold, firstReceivedAt };
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

  /** @throws {LedgerUnavailable} where what is still to be done could not be written down */
  async answer(
    handling: Handling,
    { records, finished, early }: FanOut,
    others: readonly DeliveryRecord[],
  ): Promise<Verdict> {
    const { clock } = this.#dependencies;
    const { incoming, admission } = handling;
    const standings = standingsOf(records, finished, others).map((each) => asTakenOver(handling, each));
    const { isSuperseded, callbackId } = admission;
    const verdict = judge({ context: this.#contextOf(handling), standings, isSuperseded });
    const { status, result } = verdict;
    const answer = { receivedAt: incoming.receivedAt, answeredAt: clock.now(), status, result };
    const settlement = {
      deliveries: verdict.updates
        .filter(({ id }) => !early.has(id))
        .map((update) => this.#withAlert(handling, update)),
      history: {
        callbackId,
        attempts: attemptsOf(finished.filter(({ record }) => !early.has(record.id))),
        answer,
      },
      isDurable: mustSurvive(verdict),
    };
    await this.#writeAnswer(handling, verdict, settlement);
    for (const update of settlement.deliveries) {
      this.#end(handling, update.id, update.state !== 'pending');
      this.#note(handling, update, false);
    }
    return verdict;
  }

  /** A failure comes here only when it is late: the callback has been answered already. */
  async finish(handling: Handling, { record, sent }: Finished, isLate: boolean): Promise<void> {
    const standing = asTakenOver(handling, { record, sent });
    const failed = withRefusal(updateAfter(standing.record, sent, this.#contextOf(handling)));
    const update = this.#withAlert(handling, failed);
    try {
      const settled = await this.#dependencies.ledger.settle({
        deliveries: [update],
        history: {
          callbackId: handling.admission.callbackId,
          attempts: attemptRecords(record, sent),
          answer: undefined,
        },
        isDurable: update.state !== 'delivered',
      });
      this.#handOn(handling, [update], settled);
    } finally {
      this.#end(handling, record.id, update.state !== 'pending');
      this.#note(handling, update, isLate);
    }
  }

  /** What nobody wrote down is free when its claim ends. */
  abandon(handling: Handling): void {
    for (const id of handling.underWay.keys()) this.#end(handling, id, false);
  }

  /** That everybody was told stays true when it cannot be written; whatever is still to be done must not be answered 200. */
  async #writeAnswer(handling: Handling, verdict: Verdict, settlement: Settlement): Promise<void> {
    try {
      const { clock, ledger } = this.#dependencies;
      const withinMs = timeToWrite(handling.budget, clock.monotonic());
      const settled = await ledger.settle(settlement, withinMs);
      this.#handOn(handling, settlement.deliveries, settled);
    } catch (error) {
      if (verdict.status === 200 && mustSurvive(verdict)) throw error;
      this.#dependencies.onUnwritten(error);
    }
  }

  /** Also where it could not be written down: the ledger keeps that, and writes it as soon as it can. */
  #note({ incoming, admission, records }: Handling, update: DeliveryUpdate, isLate: boolean): void {
    if (update.state === 'delivered' && !isLate) return;
    const record = records.get(update.id);
    if (record === undefined) return;
    const notice = noticeOf(incoming, admission.timesReceived);
    const { firstReceivedAt } = admission;
    const milestone = milestoneAfter(update, { record, notice, firstReceivedAt }, isLate);
    if (milestone !== undefined) this.#dependencies.onMilestone(milestone);
  }

  #withAlert(
    { incoming, settings, admission, records, plan }: Handling,
    update: DeliveryUpdate,
  ): DeliveryUpdate {
    const record = records.get(update.id);
    if (record === undefined || update.state === 'delivered') return update;
    // What is told elsewhere from now on is mended.
    if (plannedFor(record, plan) === undefined) return update;
    const { firstReceivedAt, timesReceived } = admission;
    const notice = noticeOf(incoming, timesReceived);
    return withAlert(update, record, { notice, firstReceivedAt }, settings.alerts);
  }

  /** What was taken over, or waited for one of these, is the worker's, and so are alerts. */
  #handOn({ records }: Handling, updates: readonly DeliveryUpdate[], { hasReleased }: Settled): void {
    if (!hasReleased && updates.every(({ state }) => state === 'delivered')) return;
    const due = updates.flatMap(({ id, state, isTakenOver, dueInMs }) => {
      const isDue = state === 'pending' ? isTakenOver && dueInMs === 0 : hasReleased;
      const record = isDue ? records.get(id) : undefined;
      return record === undefined ? [] : record.destination;
    });
    const alerted = alertTargetsIn(updates);
    if (due.length > 0 || alerted.length > 0) this.#dependencies.onDue([...due, ...alerted]);
  }

  #end({ underWay }: Handling, id: number, isFinished: boolean): void {
    const delivery = underWay.get(id);
    if (delivery !== undefined) this.#dependencies.underWay.end(delivery, isFinished ? 'finished' : 'open');
  }

  #contextOf({ settings }: Handling): OutcomeContext {
    return { policy: settings.delivery, random: this.#dependencies.random() };
  }
}

/** As it stands since another request for the same callback was answered that it is taken over. */
function asTakenOver<Standing extends { readonly record: DeliveryRecord }>(
  { underWay }: Handling,
  standing: Standing,
): Standing {
  const { record } = standing;
  const isNews = !record.isTakenOver && underWay.get(record.id)?.isTakenOver === true;
  return isNews ? { ...standing, record: { ...record, isTakenOver: true } } : standing;
}
