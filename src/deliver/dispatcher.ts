/** Makes every attempt of this process, whether a POST waits for it or not. */
import { UNSPECIFIED_PAUSE_MS } from '../channels/retry-after.ts';
import type { DeliveryUpdate, DueDelivery, Settlement } from '../ledger/ledger.ts';
import { UnderWay } from '../time/clock.ts';
import { milestoneOf, withAlert } from './alerts.ts';
import { addressedTo, type Attempt, type AttemptResult, type Begun, type RunningAttempt } from './attempt.ts';
import { attemptRecords, isRefusedLastingly, updateAfter } from './outcome.ts';
import type { Delivering } from './delivering.ts';
import { fits } from './pace.ts';
import type { PlannedTarget, Settings } from './settings.ts';

/** Longest wait after the first failure within a request; doubles with each further one, with full jitter. */
const BACKOFF_BASE_MS = 400;

/** What is to be delivered, by which settings, until when. */
export interface Order extends Pick<DueDelivery, 'record' | 'notice' | 'firstReceivedAt'> {
  /** Undefined: the settings do not send it there any more, or too many wait for it already. */
  readonly planned: PlannedTarget | undefined;
  readonly settings: Settings;
  /** By the monotonic clock: no attempt begins after it; one that was begun before is seen through. */
  readonly until: number;
  /** Of a POST: its attempts have ended. @returns whether the POST has that written down; left out: nobody waits for it */
  readonly onEnded?: (task: Task) => boolean;
}

/** One delivery in this process's hands: from its claim until what came of it is written down. */
export interface Task extends Order {
  readonly attempts: AttemptResult[];
  /** Another POST of the same callback has had it taken over meanwhile. */
  isTakenOver: boolean;
  /** The one that is being made. */
  attempt?: RunningAttempt | undefined;
  /** How it stands since its attempts ended. */
  update?: DeliveryUpdate;
  /** Why that could not be written down. */
  error?: unknown;
  /** Resolves when this process is done with it, written down or not. */
  readonly ended: Promise<void>;
  readonly end: () => void;
}

export interface DispatcherDependencies extends Delivering {
  readonly attempt: Attempt;
  /** Whether the ledger has something for the destination that comes before what is new. */
  readonly isBehind: (destination: string) => boolean;
  /** One that waited for its slot has got it. */
  readonly onRoom: () => void;
}

/** What is written down of several deliveries at once. */
export type Ending = Pick<Settlement, 'callbackId' | 'answer' | 'refused' | 'isDurable'>;

export class Dispatcher {
  readonly #dependencies: DispatcherDependencies;
  /** By the deliveries' ids. */
  readonly #tasks = new Map<number, Task>();
  /** By destination: those that wait for its slots, the oldest callback first. */
  readonly #queues = new Map<string, Task[]>();
  readonly #underWay = new UnderWay();
  #isStopping = false;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether it is in this process's hands. */
  has(deliveryId: number): boolean {
    return this.#tasks.has(deliveryId);
  }

  /** How many wait for the destination's next slots. */
  waitingFor(destination: string): number {
    return this.#queues.get(destination)?.length ?? 0;
  }

  /** A delivery that was claimed for this process. Nothing is done about it before this returns. */
  submit(order: Order): Task {
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const task: Task = { ...order, attempts: [], isTakenOver: false, ended, end };
    this.#tasks.set(task.record.id, task);
    this.#underWay.until(task.ended);
    queueMicrotask(() => this.#take(task));
    return task;
  }

  /** For the POST that has them in hand: they are Botbell's own from now on. */
  noteTakenOver(deliveryIds: readonly number[]): void {
    for (const task of deliveryIds.flatMap((id) => this.#tasks.get(id) ?? [])) task.isTakenOver = true;
  }

  /** Those of them that only wait are Botbell's own from now on. */
  release(tasks: Iterable<Task>): void {
    for (const task of tasks) if (task.attempt === undefined) this.#conclude(task, true);
  }

  /**
   * Writes down what came of deliveries whose attempts have ended, and with it the answer that told of them.
   * @param withinMs where a POST is still to be answered
   * @throws {LedgerUnavailable} after which this process is done with them all the same
   */
  async settle(tasks: readonly Task[], ending: Ending, withinMs?: number): Promise<void> {
    const { ledger, onUnwritten, onDue } = this.#dependencies;
    const deliveries = tasks.flatMap(({ update }) => update ?? []);
    const attempts = tasks.flatMap(({ record, attempts: made }) => attemptRecords(record.id, made));
    try {
      if (await ledger.settle({ ...ending, deliveries, attempts }, withinMs)) onDue();
    } catch (error) {
      for (const task of tasks) task.error = error;
      onUnwritten(error);
      throw error;
    } finally {
      for (const task of tasks) this.#end(task, withinMs === undefined);
    }
  }

  /** Settles what nobody waits for any more. */
  until(work: Promise<unknown>): void {
    this.#underWay.until(work);
  }

  /** An attempt that the ledger knows nothing of. @returns undefined: the destination is to be left alone for now */
  async once(begun: Begun): Promise<AttemptResult | undefined> {
    const { paces, attempt } = this.#dependencies;
    const { destination } = begun.addressed;
    if (this.#isStopping || paces.waitMs(destination) > 0) return undefined;
    return this.#resultOf(attempt(begun), destination);
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Nothing more is attempted, and who only waits is Botbell's own to deliver after the next start. */
  stop(): void {
    this.#isStopping = true;
    this.release(this.#tasks.values());
  }

  /** Ends every attempt that is being made. */
  cut(): void {
    for (const { attempt } of this.#tasks.values()) attempt?.cut();
  }

  /** Resolves when nothing is in hand, and all is written down. */
  idle(): Promise<void> {
    return this.#underWay.idle();
  }

  #take(task: Task): void {
    const { planned, record } = task;
    if (this.#isStopping || planned === undefined || this.#isLeftAlone(task))
      return this.#conclude(task, true);
    const { behind } = record;
    if (behind === undefined) return this.#enqueue(task);
    const before = this.#tasks.get(behind);
    if (before === undefined) return this.#conclude(task, true);
    void before.ended.then(() =>
      before.update?.state === 'pending' ? this.#conclude(task, true) : this.#enqueue(task),
    );
  }

  /** What a POST brings again after it was taken over is attempted at once only where nothing else waits. */
  #isLeftAlone({ record: { destination, isTakenOver }, onEnded }: Task): boolean {
    if (onEnded === undefined) return false;
    const { paces, isBehind } = this.#dependencies;
    return isBehind(destination) || (isTakenOver && paces.isPaced(destination));
  }

  /** At once where the destination keeps no pace; otherwise in its turn, if that comes in time. */
  #enqueue(task: Task): void {
    if (task.update !== undefined) return;
    const { record, until } = task;
    const { destination, callbackId } = record;
    const { clock, paces } = this.#dependencies;
    const isPaced = paces.isPaced(destination);
    const queue = this.#queues.get(destination) ?? [];
    const ahead = queue.filter((other) => other.record.callbackId < callbackId).length;
    const waitMs = isPaced ? paces.waitMs(destination) + ahead * paces.intervalMs(destination) : 0;
    if (this.#isStopping || !fits(waitMs, until - clock.monotonic())) return this.#conclude(task, true);
    if (!isPaced) return void this.#run(task);
    queue.splice(ahead, 0, task);
    if (this.#queues.has(destination)) return;
    this.#queues.set(destination, queue);
    void this.#serve(queue, destination);
  }

  /** Has those that wait for slots go, one after the other. */
  async #serve(queue: Task[], destination: string): Promise<void> {
    const { paces, onRoom } = this.#dependencies;
    for (let [next] = queue; next !== undefined; [next] = queue) {
      const hasSlot = await paces.slot(destination, next.until);
      if (!hasSlot) this.#conclude(next, true);
      // An older one may have come meanwhile.
      const chosen = hasSlot ? queue.shift() : undefined;
      if (chosen === undefined) continue;
      void this.#run(chosen);
      onRoom();
    }
    this.#queues.delete(destination);
  }

  async #run(task: Task): Promise<void> {
    const { clock } = this.#dependencies;
    const { record, planned, notice, firstReceivedAt, settings } = task;
    if (planned === undefined) return;
    const addressed = addressedTo(notice, planned, record, { firstReceivedAt, now: clock.now() });
    task.attempt = this.#dependencies.attempt({ addressed, settings });
    const result = await this.#resultOf(task.attempt, record.destination);
    task.attempt = undefined;
    task.attempts.push(result);
    this.#goOn(task, result);
  }

  /** The destination keeps the pause that the remote asks for. */
  async #resultOf({ result: made }: RunningAttempt, destination: string): Promise<AttemptResult> {
    const result = await made;
    const { failure } = result;
    const pauseMs =
      failure?.retryAfterMs ?? (failure?.class === 'rate_limited' ? UNSPECIFIED_PAUSE_MS : undefined);
    if (pauseMs !== undefined) this.#dependencies.paces.limited(destination, pauseMs, failure?.concerns);
    return result;
  }

  /** A rate limit is only a later time; what no retry within seconds can cure is not worth the BOT's running time. */
  #goOn(task: Task, { failure }: AttemptResult): void {
    if (failure === undefined) return this.#conclude(task, false);
    const { class: failureClass } = failure;
    if (failureClass === 'rate_limited') return this.#enqueue(task);
    const { clock, random } = this.#dependencies;
    const { settings, until, attempts } = task;
    const failures = attempts.filter((made) => made.failure?.class !== 'rate_limited').length;
    const waitMs = Math.round(BACKOFF_BASE_MS * 2 ** (failures - 1) * random());
    const isLast = failureClass !== 'transient' || failures >= settings.config.delivery.attemptsPerRequest;
    if (isLast || !fits(waitMs, until - clock.monotonic())) return this.#conclude(task, false);
    if (this.#isStopping) return this.#conclude(task, true);
    clock.startTimer(waitMs, () => this.#enqueue(task));
  }

  /** @param isDeferred it only waits, and is Botbell's own from now on */
  #conclude(task: Task, isDeferred: boolean): void {
    if (task.update !== undefined) return;
    const { record, attempts, settings, planned, onEnded } = task;
    const queue = this.#queues.get(record.destination) ?? [];
    if (queue.includes(task)) queue.splice(queue.indexOf(task), 1);
    const context = { policy: settings.config.delivery, random: this.#dependencies.random() };
    const update = updateAfter(record, attempts, isDeferred, context);
    // What is told elsewhere from now on is mended.
    task.update = planned === undefined ? update : withAlert(update, task, settings.config.delivery);
    if (onEnded?.(task) === true) return;
    const refused = onEnded !== undefined && isRefusedLastingly(update) ? [record.id] : [];
    const isDurable = onEnded !== undefined && update.state !== 'delivered';
    void this.settle([task], { callbackId: record.callbackId, refused, isDurable }).catch(() => undefined);
  }

  #end(task: Task, isLate: boolean): void {
    const { record, notice, firstReceivedAt, update } = task;
    if (this.#tasks.get(record.id) === task) this.#tasks.delete(record.id);
    const name = update && milestoneOf(update, record, isLate);
    if (update && name) this.#dependencies.onMilestone({ record, notice, firstReceivedAt, ...update, name });
    task.end();
  }
}
