/** Handles one POST: admits its callback, has its pending deliveries attempted, and decides the answer. */
import { LONGEST_ANSWER_MS } from '../channels/channel.ts';
import type { Admission, Arrival, DeliveryRecord } from '../ledger/ledger.ts';
import { afterRendering, type CallbackNotice, noticeOf } from '../notice/notice.ts';
import { within } from '../time/clock.ts';
import { addressedTo } from './attempt.ts';
import type { Dispatcher } from './dispatcher.ts';
import { judge, mustSurvive, refusedIn, type PostedDelivery, type Verdict } from './outcome.ts';
import type { Delivering, Order, Task } from './delivering.ts';
import { judgedBy } from './plan.ts';
import { type CallbackPlan, plannedFor, RESERVE_MS, type Settings } from './settings.ts';

/** One POST whose body has arrived; the time to answer does not count how slowly the body was sent. */
export interface Incoming extends Pick<Arrival, 'callback' | 'startedAt' | 'identity' | 'body'> {
  /** By this machine's clock: for people, in the story. */
  readonly receivedAt: number;
  /** The same by the monotonic clock. */
  readonly arrivedAt: number;
  /** For a large callback: called when its messages are made; from then on no more of it is kept than they need. */
  readonly onRendered?: (() => void) | undefined;
}

/** The deadline, by the monotonic clock, for all that a POST waits for before it is answered. */
export function untilOf(arrivedAt: number, answerWithinMs: number): number {
  return arrivedAt + answerWithinMs - RESERVE_MS;
}

/** The share of `max_in_flight` that may wait for the same destination, BOT or job. */
const SHARE = 1 / 4;

/** How many POSTs wait, by destination, BOT and job. Zeros are deleted: the ids of ended jobs would pile up. */
type Waiting = Map<string, number>;

/** @throws {LedgerUnavailable} on admission; or when an outcome other than `delivered` could not be written */
export type Post = (incoming: Incoming) => Promise<Verdict>;

type Posting = Delivering & { readonly dispatcher: Dispatcher };

export function createPost(delivering: Posting): Post {
  const waiting: Waiting = new Map();
  return async (incoming) => {
    const { clock, ledger, dispatcher, settings: running, onHeld } = delivering;
    const { current: settings } = running;
    const { answerWithinMs, answerWhen } = settings.config.receiver;
    const until = untilOf(incoming.arrivedAt, answerWithinMs);
    const plan = settings.planFor(incoming.callback);
    const isAccepted = answerWhen === 'accepted';
    const isClaimed = isAccepted && dispatcher.hasRoomFor(plan);
    const arrival = { ...arrivalOf(incoming, plan, settings), isAccepted, isClaimed };
    const { callback, ...admission } = await ledger.admit(arrival, until - clock.monotonic());
    if (admission.isNew) for (const { reason } of admission.deliveries) if (reason) onHeld(reason);
    const posted = { receivedAt: incoming.receivedAt, settings, plan, admission, until };
    const notice = noticeOf({ callback, startedAt: incoming.startedAt }, admission.timesReceived);
    if (admission.isAnswered) return answered(delivering, posted, notice, incoming.onRendered);
    const open = new OpenPost(delivering, posted, waiting);
    open.begin(notice, incoming.onRendered);
    return open.answer();
  };
}

function arrivalOf(incoming: Incoming, plan: CallbackPlan, settings: Settings): Omit<Arrival, 'isAccepted'> {
  const { callback, identity, startedAt, body } = incoming;
  const { routing, asking } = plan;
  const judged = judgedBy(plan, incoming, (condition) => settings.meets(condition, incoming));
  return { callback, identity, startedAt, body, routing, asking, ...judged };
}

/** An admitted callback, without its body, with the settings that were in force when it came; a reload does not change them. */
interface Posted extends Pick<Incoming, 'receivedAt'> {
  readonly settings: Settings;
  readonly plan: CallbackPlan;
  readonly admission: Omit<Admission, 'callback'>;
  readonly until: number;
}

/** The answer of a callback that was answered with its admission; what of it this process has claimed is attempted now. */
function answered(
  { dispatcher, onDue }: Posting,
  { admission, plan, settings, until }: Posted,
  notice: CallbackNotice,
  onRendered: Incoming['onRendered'],
): Verdict {
  const { deliveries, firstReceivedAt, asOf, isSuperseded } = admission;
  for (const record of deliveries.filter(({ claim }) => claim === 'own')) {
    const order = {
      record,
      firstReceivedAt,
      asOf,
      notice,
      planned: plannedFor(record, plan),
      settings,
      until,
    };
    dispatcher.submit(onRendered === undefined ? order : rendered(order));
  }
  onRendered?.();
  if (deliveries.some(({ state, claim }) => state === 'pending' && claim === undefined)) onDue();
  const isAccepted = settings.config.receiver.answerWhen === 'accepted';
  return judge(deliveries, { isSuperseded, isAccepted });
}

/** What `make` returns, made now: until it is called, it would keep the callback. */
function keptFrom<Made>(make: () => Made): () => Made {
  const made = make();
  return () => made;
}

/** The order with its message made ahead, so that its callback need not be kept while it waits. */
function rendered(order: Order & { readonly notice: CallbackNotice }): Order {
  const { record, notice, planned, settings, firstReceivedAt, asOf: now } = order;
  const after = { ...order, notice: afterRendering(notice) };
  if (planned === undefined) return after;
  const at = { firstReceivedAt, now, config: settings.config };
  const addressed = addressedTo(notice, planned, record, at);
  try {
    const { message, plain, asText } = settings.compose(addressed);
    return { ...after, composed: { message, plain: plain && keptFrom(plain), asText: keptFrom(asText) } };
  } catch {
    // The attempt will say why.
    return order;
  }
}

/** A POST that waits for its deliveries, until it is answered. */
class OpenPost {
  readonly #delivering: Posting;
  readonly #posted: Posted;
  readonly #waiting: Waiting;
  readonly #waitsFor: string[] = [];
  /** The tasks it submitted, by delivery id. */
  readonly #tasks = new Map<number, Task>();
  readonly #takenOver = new Set<number>();
  /** Writes that end before it is answered. */
  readonly #writing: Promise<unknown>[] = [];
  /** Tasks whose outcomes are written with the answer. */
  readonly #unwritten: Task[] = [];
  #isOver = false;
  #isAnswered = false;
  #onAllEnded = () => {};

  constructor(delivering: Posting, posted: Posted, waiting: Waiting) {
    this.#delivering = delivering;
    this.#posted = posted;
    this.#waiting = waiting;
  }

  async answer(): Promise<Verdict> {
    try {
      await this.#allEnded();
      this.#delivering.dispatcher.release(this.#tasks.values());
      this.#holdUnanswered();
      await Promise.all(this.#writing);
      return await this.#conclude();
    } finally {
      this.#isAnswered = true;
      for (const what of this.#waitsFor) this.#leave(what);
    }
  }

  /** Submits the deliveries that it claimed; pending ones that another POST or process has in hand are taken over. */
  begin(notice: CallbackNotice, onRendered: Incoming['onRendered']): void {
    const { dispatcher, ledger } = this.#delivering;
    const { admission, plan, settings, until } = this.#posted;
    const { bot_id, job_id } = notice.callback;
    const { firstReceivedAt, asOf } = admission;
    const open = admission.deliveries.filter(({ state }) => state === 'pending');
    const own = open.filter(({ id, claim }) => claim === 'own' && !dispatcher.has(id));
    const hasRoom = own.length > 0 && this.#mayWaitFor(`bot ${bot_id}`) && this.#mayWaitFor(`job ${job_id}`);
    const onEnded = (task: Task) => this.#takes(task);
    for (const record of own) {
      const planned = hasRoom && this.#mayWaitFor(record.destination) ? plannedFor(record, plan) : undefined;
      const order = { record, firstReceivedAt, asOf, notice, planned, settings, until, onEnded };
      this.#tasks.set(record.id, dispatcher.submit(onRendered === undefined ? order : rendered(order)));
    }
    onRendered?.();
    const elsewhere = open.flatMap(({ id, isTakenOver }) => (isTakenOver || this.#tasks.has(id) ? [] : id));
    if (elsewhere.length === 0) return;
    const note = () => {
      for (const id of elsewhere) this.#takenOver.add(id);
      dispatcher.noteTakenOver(elsewhere);
    };
    this.#writing.push(ledger.takeOver(elsewhere, this.#leftMs()).then(note, () => undefined));
  }

  /** A message that was handed over may be answered later, and must not be sent anew, so the service need not post it again. */
  #holdUnanswered(): void {
    const { dispatcher } = this.#delivering;
    const unanswered = [...this.#tasks.values()].filter(({ attempt }) => attempt?.isHandedOver === true);
    if (unanswered.length === 0) return;
    const held = dispatcher.holdClaims(unanswered, LONGEST_ANSWER_MS, this.#leftMs());
    this.#writing.push(held.catch(() => undefined));
  }

  /** Counts this POST as waiting. @returns false: too many POSTs wait for the same already */
  #mayWaitFor(what: string): boolean {
    const { maxInFlight } = this.#posted.settings.config.receiver;
    const others = this.#waiting.get(what) ?? 0;
    if (others >= maxInFlight * SHARE) return false;
    this.#waiting.set(what, others + 1);
    this.#waitsFor.push(what);
    return true;
  }

  #leave(what: string): void {
    const others = (this.#waiting.get(what) ?? 1) - 1;
    if (others === 0) this.#waiting.delete(what);
    else this.#waiting.set(what, others);
  }

  /** Writes the last outcome with the answer, and each earlier one at once. @returns false: answered, so the dispatcher writes it */
  #takes(task: Task): boolean {
    if (this.#isAnswered) return false;
    const haveAllEnded = [...this.#tasks.values()].every(({ update }) => update !== undefined);
    if (this.#isOver || haveAllEnded) this.#unwritten.push(task);
    else this.#writing.push(this.#settleEarly(task));
    if (haveAllEnded) this.#onAllEnded();
    return true;
  }

  /** Resolves when the attempts of all tasks have ended, or at the deadline. */
  async #allEnded(): Promise<void> {
    if (this.#tasks.size === 0) return;
    const { clock } = this.#delivering;
    const allEnded = new Promise<void>((resolve) => (this.#onAllEnded = resolve));
    await within(this.#posted.until - clock.monotonic(), allEnded, clock);
    this.#isOver = true;
  }

  /** Never rejects. */
  #settleEarly(task: Task): Promise<void> {
    const { callbackId } = this.#posted.admission;
    const ending = { callbackId, isDurable: task.update?.state !== 'delivered' };
    return this.#delivering.dispatcher.settle([task], ending, this.#leftMs()).catch(() => undefined);
  }

  /** @throws {LedgerUnavailable} an outcome other than `delivered` could not be written */
  async #conclude(): Promise<Verdict> {
    const { clock, dispatcher } = this.#delivering;
    const { receivedAt, admission } = this.#posted;
    const { callbackId, isSuperseded } = admission;
    const standings = admission.deliveries.map((record) => this.#standing(record));
    const verdict = judge(standings, { isSuperseded, isAccepted: false });
    const { status, result } = verdict;
    const answer = { receivedAt, answeredAt: clock.now(), status, result };
    const isDurable = mustSurvive(verdict);
    const ending = { callbackId, answer, refused: refusedIn(standings, verdict), isDurable };
    this.#isAnswered = true;
    let failure: unknown;
    const settled = dispatcher.settle(this.#unwritten, ending, this.#leftMs());
    await settled.catch((error: unknown) => (failure = error));
    for (const task of this.#tasks.values()) if (task.update?.state !== 'delivered') failure ??= task.error;
    // A 200 that is not written is safe only if all is delivered: nobody would retry what is still pending.
    if (failure !== undefined && status === 200 && isDurable) throw failure as Error;
    return verdict;
  }

  #standing(record: DeliveryRecord): PostedDelivery {
    const task = this.#tasks.get(record.id);
    const isOwn = [record, task, task?.update].some((each) => each?.isTakenOver);
    const isTakenOver = isOwn || this.#takenOver.has(record.id);
    return { ...record, ...task?.update, isTakenOver, hasEnded: task?.update !== undefined };
  }

  /** Milliseconds that a write may take: at least half of the reserve, even past the deadline. */
  #leftMs(): number {
    const half = RESERVE_MS / 2;
    return Math.max(half, this.#posted.until + half - this.#delivering.clock.monotonic());
  }
}
