/** Admits the callbacks of POSTs, has their deliveries attempted, and answers: a POST is a promise over its deliveries. */
import type { Admission, Arrival, DeliveryRecord } from '../ledger/ledger.ts';
import { afterRendering, noticeOf } from '../notice/notice.ts';
import { Counts, ReleasingMap } from '../time/clock.ts';
import type { Delivery, Ending, WaitingPost } from './delivery.ts';
import type { DeliveringByLoop } from './loop.ts';
import { verdictOf, mustBeDurable, type PostedDelivery, type Verdict } from './outcome.ts';
import { ruleInputs, plannedFor } from './plan.ts';
import { type CallbackPlan, RESERVE_MS, type Settings } from './settings.ts';

/** One POST whose body has arrived. The time to answer it begins then, however slowly the body was sent. */
export interface Incoming extends Pick<Arrival, 'callback' | 'startedAt' | 'body'> {
  /** By the monotonic clock. */
  readonly arrivedAt: number;
  /** For a large callback: called when its messages are made; from then on no more of it is kept than they need. */
  readonly onRendered?: (() => void) | undefined;
}

/** The deadline, by the monotonic clock, for all that a POST waits for before it is answered. */
export function answerDeadline(arrivedAt: number, answerWithinMs: number): number {
  return arrivedAt + answerWithinMs - RESERVE_MS;
}

/** The share of `max_in_flight` that may wait for the same destination, BOT or job. */
const SHARE = 1 / 4;

/** A POST that has waited this long may be answered early, to make room for a new one. */
const LONG_MS = 500;

/** An admitted callback, without its body, with the settings that were in force when it came; a reload does not change them. */
interface Posted extends Pick<Incoming, 'arrivedAt'> {
  readonly settings: Settings;
  readonly plan: CallbackPlan;
  readonly admission: Omit<Admission, 'callback' | 'isNew' | 'isAnswered'>;
  /** By the monotonic clock: until when the POST waits, and by when its answer must be written. */
  readonly until: number;
  readonly writtenBy: number;
}

/** What of an admitted callback its messages are made from. */
type Checked = Pick<Incoming, 'callback' | 'startedAt' | 'onRendered'>;

export class Posts {
  readonly #posting: DeliveringByLoop;
  /** How many POSTs wait, by destination, BOT and job. */
  readonly #waiting = new Counts();
  /** The POSTs that wait, by number: the first to arrive comes first. */
  readonly #open = new ReleasingMap<number, OpenPost>();
  #arrived = 0;

  constructor(posting: DeliveringByLoop) {
    this.#posting = posting;
  }

  /** @throws {LedgerUnavailable} on admission; or when an outcome other than `delivered` could not be written */
  readonly post = async (incoming: Incoming): Promise<Verdict> => {
    const { clock, ledger, loop, settings: running, onHeld } = this.#posting;
    const { current: settings } = running;
    const { answerWithinMs, answerWhen } = settings.config.receiver;
    const { arrivedAt, callback, startedAt, body, onRendered } = incoming;
    const writtenBy = answerDeadline(arrivedAt, answerWithinMs);
    const plan = settings.planFor(callback);
    const { routing, asking } = plan;
    const { likeness, unmet } = ruleInputs(plan, incoming, (condition) =>
      settings.meets(condition, incoming),
    );
    const isAccepted = answerWhen === 'accepted';
    const isClaimed = isAccepted && loop.hasRoomFor(plan);
    const arrival = { callback, startedAt, body, routing, asking, likeness, unmet, isAccepted, isClaimed };
    const admission = await ledger.admit(arrival, writtenBy - clock.monotonic());
    const { callbackId, deliveries, timesReceived, firstReceivedAt, asOf, isSuperseded } = admission;
    if (admission.isNew) for (const { reason } of deliveries) if (reason) onHeld(reason);
    // What is unfinished then must be taken over in time, which takes long if the store is far away or many POSTs end at once.
    const until = writtenBy - Math.min(2 * ledger.writeMs, answerWithinMs / 4);
    const admitted = { callbackId, deliveries, timesReceived, firstReceivedAt, asOf, isSuperseded };
    const posted = { arrivedAt, settings, plan, admission: admitted, until, writtenBy };
    const checked = { callback: admission.callback, startedAt, onRendered };
    return admission.isAnswered ? this.#answered(posted, checked, isAccepted) : this.#wait(posted, checked);
  };

  /** Answers the POST that has waited longest, to make room for a new one. Its unfinished deliveries are taken over. */
  makeRoom(): void {
    const since = this.#posting.clock.monotonic() - LONG_MS;
    for (const open of this.#open) if (open.mayBeAnsweredEarly(since)) return open.answerNow(true);
  }

  /** The callback was answered with its admission; the deliveries of it that this process has claimed are attempted now. */
  #answered(posted: Posted, checked: Checked, isAccepted: boolean): Verdict {
    const { loop, onDue } = this.#posting;
    const { deliveries, isSuperseded } = posted.admission;
    for (const delivery of this.#take(posted, checked)) loop.begin(delivery);
    if (deliveries.some(({ state, claim }) => state === 'pending' && claim === undefined)) onDue();
    return verdictOf(deliveries, { isSuperseded, isAccepted });
  }

  /** Not async: an async function would keep the callback in memory while it waits. */
  #wait(posted: Posted, checked: Checked): Promise<Verdict> {
    const open = new OpenPost(this.#posting, posted, (this.#arrived += 1), this.#forget);
    this.#open.set(open.number, open);
    return open.answer(this.#take(posted, checked, open));
  }

  readonly #forget = (open: OpenPost): void => {
    this.#open.delete(open.number);
    for (const what of open.waitsFor) this.#waiting.add(what, -1);
  };

  /** Takes in hand the deliveries that the admission has claimed. The messages of a large callback are made at once. */
  #take(
    { admission, plan, settings, until }: Posted,
    { callback, startedAt, onRendered }: Checked,
    post?: OpenPost,
  ): readonly Delivery[] {
    const { loop, ledger } = this.#posting;
    const { deliveries, timesReceived, asOf } = admission;
    const notice = noticeOf({ callback, startedAt }, timesReceived);
    const isInHand = (record: DeliveryRecord) => loop.has(record, () => ledger.upkeep.expectStrays());
    const own = deliveries.filter((record) => record.claim === 'own' && !isInHand(record));
    const { bot_id: bot, job_id: job } = callback;
    const mayWait = (what: string) => post === undefined || this.#mayWaitFor(what, post, settings);
    const hasRoom = own.length > 0 && mayWait(`bot ${bot}`) && mayWait(`job ${job}`);
    const taken = own.map((record) => {
      const planned = hasRoom && mayWait(record.destination) ? plannedFor(record, plan) : undefined;
      return loop.take({ record, notice, planned, settings, asOf, until, post });
    });
    if (onRendered === undefined) return taken;
    const after = afterRendering(notice);
    for (const delivery of taken) delivery.render(after);
    onRendered();
    return taken;
  }

  /** Counts a POST as waiting for a destination, a BOT or a job. @returns false: too many POSTs wait for that already */
  #mayWaitFor(what: string, post: OpenPost, { config: { receiver } }: Settings): boolean {
    if (this.#waiting.at(what) >= receiver.maxInFlight * SHARE) return false;
    this.#waiting.add(what, 1);
    post.waitsFor.push(what);
    return true;
  }
}

/** A POST that waits. It is answered when its deliveries have ended or when it stops waiting (`answerNow`), by what they come to then. */
class OpenPost implements WaitingPost {
  /** The keys under which it is counted: destinations, its BOT, its job. */
  readonly waitsFor: string[] = [];
  readonly #posting: DeliveringByLoop;
  readonly #posted: Posted;
  readonly number: number;
  /** One function for all POSTs: V8 would keep a function per POST, and all that it refers to, for long. */
  readonly #onOver: (post: OpenPost) => void;
  /** The deliveries that it waits for, by id. */
  readonly #own = new Map<number, Delivery>();
  /** Pending deliveries that another POST or process has in hand were taken over for it. */
  #hasTakenOver = false;
  /** Resolves when they have been taken over, or cannot be. */
  #taking: Promise<void> | undefined;
  readonly #writing: Promise<unknown>[] = [];
  /** How many things it still waits for. Its start counts as one, so that it cannot end before that. */
  #open = 1;
  #isOver = false;
  #answer: ((verdict: Verdict) => void) | undefined;
  #stopTimer: (() => void) | undefined;

  /** @param onOver called when it can be answered and all that it waits for is written */
  constructor(posting: DeliveringByLoop, posted: Posted, number: number, onOver: (post: OpenPost) => void) {
    this.#posting = posting;
    this.#posted = posted;
    this.number = number;
    this.#onOver = onOver;
  }

  /** Has its deliveries attempted, and waits for them. @throws {LedgerUnavailable} an outcome other than `delivered` could not be written */
  async answer(own: readonly Delivery[]): Promise<Verdict> {
    const { clock, loop } = this.#posting;
    const answered = new Promise<Verdict>((resolve) => (this.#answer = resolve));
    for (const delivery of own) this.#own.set(delivery.record.id, delivery);
    this.#open += own.length;
    this.#takeOver();
    for (const delivery of own) loop.begin(delivery);
    this.endWait();
    if (!this.#isOver)
      this.#stopTimer = clock.startTimer(this.#posted.until - clock.monotonic(), () => this.answerNow(false));
    const verdict = await answered;
    let failure: unknown;
    for (const written of this.#writing) failure ??= await written;
    this.#onOver(this);
    // A 200 that is not written is safe only if all is delivered: nobody would retry what is still pending.
    if (failure !== undefined && verdict.status === 200 && mustBeDurable(verdict)) throw failure as Error;
    return verdict;
  }

  /** Whether none of its deliveries is being attempted yet, or it has waited since `since`. @param since by the monotonic clock */
  mayBeAnsweredEarly(since: number): boolean {
    const isAttempted = [...this.#own.values()].some((delivery) => delivery.isAttempted);
    return !this.#isOver && (!isAttempted || this.#posted.arrivedAt <= since);
  }

  /**
   * Stops waiting. Deliveries that only wait are taken over. So is one whose message was handed over: it may be answered later, and must not be sent anew.
   * @param isEarly deliveries that are being attempted are taken over, too
   */
  answerNow(isEarly: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { loop } = this.#posting;
    loop.release(this.#own.values());
    const attempted = [...this.#own.values()].filter(({ update }) => update === undefined);
    const toTakeOver = attempted.filter(({ isHandedOver }) => isEarly || isHandedOver);
    const records = toTakeOver.map(({ record }) => record);
    const takingOver = loop.takeOver(records, this.leftMs).catch(() => undefined);
    for (const delivery of attempted) loop.detachPost(delivery);
    void Promise.all([this.#taking, takingOver]).then(() => this.#write(this.#conclude()));
  }

  ended(): Ending | undefined {
    this.#open -= 1;
    return this.#open === 0 && !this.#isOver ? this.#conclude() : undefined;
  }

  endWait(): void {
    const ending = this.ended();
    if (ending !== undefined) this.#write(ending);
  }

  waitFor(written: Promise<unknown>): void {
    this.#writing.push(written);
  }

  /** At least half of the reserve, even past the deadline. */
  get leftMs(): number {
    const half = RESERVE_MS / 2;
    return Math.max(half, this.#posted.writtenBy + half - this.#posting.clock.monotonic());
  }

  #takeOver(): void {
    const elsewhere = this.#posted.admission.deliveries.filter((record) => this.#isElsewhere(record));
    if (elsewhere.length === 0) return;
    this.#open += 1;
    const taking = this.#posting.loop.takeOver(elsewhere, this.leftMs);
    this.#taking = taking.then(() => void (this.#hasTakenOver = true)).catch(() => undefined);
    void this.#taking.then(() => this.endWait());
  }

  #isElsewhere({ id, state, isTakenOver }: DeliveryRecord): boolean {
    return state === 'pending' && !isTakenOver && !this.#own.has(id);
  }

  #conclude(): Ending {
    const { arrivedAt, admission } = this.#posted;
    this.#isOver = true;
    this.#stopTimer?.();
    const standings = admission.deliveries.map((record) => this.#standing(record));
    const verdict = verdictOf(standings, { isSuperseded: admission.isSuperseded, isAccepted: false });
    this.#answer?.(verdict);
    const { status, result } = verdict;
    const answer = { arrivedAt, answeredAt: this.#posting.clock.monotonic(), status, result };
    return { answer, isDurable: mustBeDurable(verdict) };
  }

  /** Writes the answer alone, if no outcome is left to be written with it. */
  #write(ending: Ending): void {
    const { callbackId, firstReceivedAt: receivedAt } = this.#posted.admission;
    this.waitFor(this.#posting.loop.settle({ callbackId, receivedAt }, ending, this.leftMs));
  }

  #standing(record: DeliveryRecord): PostedDelivery {
    const { id, destination, reason, heldUntil } = record;
    const delivery = this.#own.get(id);
    const { state, lastError } = delivery?.update ?? record;
    const isOwnNow = record.isTakenOver || delivery?.isTakenOver || delivery?.update?.isTakenOver || false;
    const isTakenOver = isOwnNow || (this.#hasTakenOver && this.#isElsewhere(record));
    const hasEnded = delivery?.update !== undefined;
    return { id, destination, state, lastError, reason, heldUntil, isTakenOver, hasEnded };
  }
}
