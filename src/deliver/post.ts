/** One callback in, everybody told who has not been, one honest answer out. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { CheckedCallback } from '../callback/callback.ts';
import type { Admission, DeliveryRecord } from '../ledger/ledger.ts';
import { type CallbackNotice, noticeOf } from '../notice/notice.ts';
import type { Clock } from '../time/clock.ts';
import type { Dispatcher, Task } from './dispatcher.ts';
import { judge, mustSurvive, refusedIn, type Standing, type Verdict } from './outcome.ts';
import { type Plan, plannedFor, RESERVE_MS, type RunningSettings, type Settings } from './settings.ts';
import { plannedDeliveries, watchedOf } from './watch.ts';

/** One POST, from the moment its body was there: how slowly the sender sends is not the answer's time. */
export interface Incoming extends CheckedCallback {
  /** SHA-256 of what identifies it. */
  readonly identity: string;
  /** The JSON that it was read from, in UTF-8. */
  readonly body: Uint8Array;
  readonly receivedAt: number;
  /** The same moment by the monotonic clock. */
  readonly arrivedAt: number;
}

/** By the monotonic clock: until then whatever a POST needs may be waited for. */
export function untilOf(arrivedAt: number, answerWithinMs: number): number {
  return arrivedAt + answerWithinMs - RESERVE_MS;
}

/** Of `max_in_flight`: what may wait for one destination, BOT or job. */
const SHARE = 1 / 4;

export interface PostDependencies {
  readonly clock: Clock;
  readonly ledger: Pick<DatabaseLedger, 'admit' | 'takeOver'>;
  readonly dispatcher: Dispatcher;
  readonly settings: Pick<RunningSettings, 'current'>;
  readonly onDue: () => void;
  /** A rule holds back, or lets go, what has just come. */
  readonly onHeld: (rule: string) => void;
}

type Shared = PostDependencies & { readonly waiting: Set<OpenPost> };

/**
 * @throws {LedgerUnavailable} before anyone is told, or when what is still to be told could not be written down
 */
export type Post = (incoming: Incoming) => Promise<Verdict>;

export function createPost(dependencies: PostDependencies): Post {
  const shared = { ...dependencies, waiting: new Set<OpenPost>() };
  return (incoming) => handle(shared, incoming);
}

async function handle(dependencies: Shared, incoming: Incoming): Promise<Verdict> {
  const { clock, ledger } = dependencies;
  const settings = dependencies.settings.current;
  const { callback, identity, startedAt, body, receivedAt } = incoming;
  const { answerWithinMs, answerWhen } = settings.config.receiver;
  const isAccepted = answerWhen === 'accepted';
  const until = untilOf(incoming.arrivedAt, answerWithinMs);
  const plan = settings.router.route(callback);
  const planned = plannedDeliveries(settings, plan, incoming);
  const watched = watchedOf(settings, incoming);
  const arrival = { callback, identity, body, startedAt, receivedAt, routing: plan.explanations, isAccepted };
  const admission = await ledger.admit({ ...arrival, planned, watched }, until - clock.monotonic());
  if (admission.isNew) for (const { reason } of admission.deliveries) if (reason) dependencies.onHeld(reason);
  if (isAccepted) return accept(dependencies, incoming, admission);
  return new OpenPost(dependencies, { incoming, settings, plan, admission, until }).answer();
}

/** It is on disk, so the service may forget it. */
function accept(
  { clock, dispatcher, onDue }: PostDependencies,
  { receivedAt }: Incoming,
  { callbackId, deliveries, isSuperseded }: Admission,
): Verdict {
  const standings = deliveries.map((each) => ({
    ...each,
    isOwn: false,
    hasEnded: false,
    isBeingMade: false,
  }));
  const verdict = judge(standings, { isSuperseded, isAccepted: true });
  const { status, result } = verdict;
  const answer = { receivedAt, answeredAt: clock.now(), status, result };
  const settled = dispatcher.settle([], { callbackId, answer, isDurable: false });
  dispatcher.until(settled.catch(() => undefined));
  if (result === 'accepted') onDue();
  return verdict;
}

interface Posted {
  readonly incoming: Incoming;
  /** In force when it came, and its own to the end. */
  readonly settings: Settings;
  readonly plan: Plan;
  readonly admission: Admission;
  readonly until: number;
}

/** A callback that was admitted, until it is answered. */
class OpenPost {
  readonly #dependencies: Shared;
  readonly #posted: Posted;
  readonly #notice: CallbackNotice;
  /** What it waits for, by the deliveries' ids: attempted for it, or for an earlier POST. */
  readonly #tasks = new Map<number, Task>();
  readonly #takenOver = new Set<number>();
  /** What is being written down before it is answered. */
  readonly #writing: Promise<unknown>[] = [];
  /** What is written down with the answer. */
  readonly #unwritten: Task[] = [];
  /** The destinations that it waits for. */
  readonly #waitsFor = new Set<string>();
  #open = 0;
  #isOver = false;
  #isAnswered = false;
  #onOver = () => {};

  constructor(dependencies: Shared, posted: Posted) {
    this.#dependencies = dependencies;
    this.#posted = posted;
    this.#notice = noticeOf(posted.incoming, posted.admission.timesReceived);
  }

  /** @throws {LedgerUnavailable} */
  async answer(): Promise<Verdict> {
    const { dispatcher, waiting } = this.#dependencies;
    try {
      this.#begin();
      await this.#allEnded();
      dispatcher.release([...this.#tasks.values()].filter((task) => this.#isOwn(task)));
      await Promise.all(this.#writing);
      return await this.#conclude();
    } finally {
      this.#isAnswered = true;
      waiting.delete(this);
    }
  }

  /** Hands over what is to be attempted; what others have in hand is Botbell's own from now on. */
  #begin(): void {
    const { ledger, waiting } = this.#dependencies;
    const { callback } = this.#posted.incoming;
    const open = this.#posted.admission.deliveries.filter(({ state }) => state === 'pending');
    const hasSame = (id: 'bot_id' | 'job_id') =>
      this.#isCrowded((other) => other.#posted.incoming.callback[id] === callback[id]);
    if (open.length > 0 && !hasSame('bot_id') && !hasSame('job_id')) waiting.add(this);
    const elsewhere = open.filter((record) => !this.#attend(record)).map(({ id }) => id);
    if (elsewhere.length === 0) return;
    const note = () => elsewhere.forEach((id) => this.#takenOver.add(id));
    this.#writing.push(ledger.takeOver(elsewhere, this.#leftMs()).then(note, () => undefined));
  }

  /** @returns whether it is this process's to deliver, or Botbell's own already */
  #attend(record: DeliveryRecord): boolean {
    const { dispatcher } = this.#dependencies;
    const task = dispatcher.inHand(record.id);
    if (record.claim === 'own' && task === undefined) {
      this.#tasks.set(record.id, this.#submit(record));
    } else {
      const isWorthWaiting = task !== undefined && (!record.isTakenOver || task.attempt !== undefined);
      if (!isWorthWaiting || !this.#waitFor(record)) return record.isTakenOver;
      this.#tasks.set(record.id, task);
      void task.ended.then(() => this.#ends());
    }
    this.#open += 1;
    return true;
  }

  #submit(record: DeliveryRecord): Task {
    const { settings, plan, admission, until } = this.#posted;
    const { callbackId, firstReceivedAt } = admission;
    const planned = this.#waitFor(record) ? plannedFor(record, plan) : undefined;
    const order = { record, callbackId, firstReceivedAt, notice: this.#notice, planned, settings, until };
    return this.#dependencies.dispatcher.submit({ ...order, onEnded: (task) => this.#takes(task) });
  }

  /** One outcome is written down with the answer, each earlier one when it is there. @returns false: it is answered */
  #takes(task: Task): boolean {
    if (this.#isAnswered) return false;
    const isLast = this.#isOver || this.#open === 1;
    if (isLast) this.#unwritten.push(task);
    else this.#writing.push(this.#settleEarly(task));
    this.#ends();
    return true;
  }

  #ends(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#onOver();
  }

  /** Resolves when all have ended, or the answer is due. */
  #allEnded(): Promise<void> {
    const { clock } = this.#dependencies;
    return new Promise((resolve) => {
      const end = () => {
        stopTimer();
        this.#isOver = true;
        resolve();
      };
      const stopTimer = clock.startTimer(Math.max(0, this.#posted.until - clock.monotonic()), end);
      this.#onOver = end;
      if (this.#open === 0) end();
    });
  }

  /** Never rejects. */
  #settleEarly(task: Task): Promise<void> {
    const { callbackId } = this.#posted.admission;
    const ending = { callbackId, isDurable: task.update?.state !== 'delivered' };
    return this.#dependencies.dispatcher.settle([task], ending, this.#leftMs()).catch(() => undefined);
  }

  /** @throws {LedgerUnavailable} where what is still to be done could not be written down */
  async #conclude(): Promise<Verdict> {
    const { clock, dispatcher } = this.#dependencies;
    const { incoming, admission } = this.#posted;
    const standings = admission.deliveries.map((record) => this.#standing(record));
    const verdict = judge(standings, { isSuperseded: admission.isSuperseded, isAccepted: false });
    const { status, result } = verdict;
    const answer = { receivedAt: incoming.receivedAt, answeredAt: clock.now(), status, result };
    const isDurable = mustSurvive(verdict);
    const refused = refusedIn(standings, verdict);
    const ending = { callbackId: admission.callbackId, answer, refused, isDurable };
    this.#isAnswered = true;
    let failure: unknown;
    const settled = dispatcher.settle(this.#unwritten, ending, this.#leftMs());
    await settled.catch((error: unknown) => (failure = error));
    for (const task of this.#tasks.values()) if (task.update?.state !== 'delivered') failure ??= task.error;
    // That everybody was told stays true when it cannot be written; whatever is still to be done must not be answered 200.
    if (failure !== undefined && status === 200 && isDurable) throw failure as Error;
    return verdict;
  }

  #standing(record: DeliveryRecord): Standing {
    const task = this.#tasks.get(record.id);
    const isTakenOver = record.isTakenOver || this.#takenOver.has(record.id);
    return {
      ...record,
      isTakenOver,
      ...task?.update,
      isOwn: task !== undefined && this.#isOwn(task),
      hasEnded: task?.update !== undefined,
      isBeingMade: task === undefined ? !isTakenOver : task.update === undefined,
    };
  }

  #isOwn(task: Task): boolean {
    return task.notice === this.#notice;
  }

  /** Milliseconds for the store to write; half of the reserve at the least, however late it is. */
  #leftMs(): number {
    const half = RESERVE_MS / 2;
    return Math.max(half, this.#posted.until + half - this.#dependencies.clock.monotonic());
  }

  /** @returns false: enough POSTs wait for its destination, BOT or job */
  #waitFor({ destination }: DeliveryRecord): boolean {
    if (!this.#dependencies.waiting.has(this)) return false;
    if (this.#isCrowded((other) => other.#waitsFor.has(destination))) return false;
    this.#waitsFor.add(destination);
    return true;
  }

  /** Whether as many POSTs wait for the same as may. */
  #isCrowded(isAlike: (other: OpenPost) => boolean): boolean {
    const alike = [...this.#dependencies.waiting].filter(isAlike);
    return alike.length >= Math.ceil(this.#posted.settings.config.receiver.maxInFlight * SHARE);
  }
}
