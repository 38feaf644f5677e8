/** Makes every attempt of this process, whether a POST waits for it or not. */
import { UNSPECIFIED_PAUSE_MS } from '../channels/retry-after.ts';
import type { Settlement } from '../ledger/ledger.ts';
import { MOST_OF_DESTINATION } from '../ledger/operations/turns.ts';
import type { Plan, PlannedTarget } from '../route/router.ts';
import { UnderWay } from '../time/clock.ts';
import { milestoneOf, withAlert } from './alerts.ts';
import { addressedTo, Attempt, type AttemptDependencies, type AttemptResult, type Begun } from './attempt.ts';
import { attemptRecords, isRefusedLastingly, retryInMs, updateAfter } from './outcome.ts';
import type { Delivering, Order, Task } from './delivering.ts';
import { lengthen } from './lengthened.ts';
import { fits } from './pace.ts';

/** Most calls to one destination at the same moment, so that one that does not answer leaves connections of its channel to others. */
const MOST_CALLS = 40;

export interface DispatcherDependencies extends Delivering {
  readonly attempts: AttemptDependencies;
  /** Whether due deliveries of the destination are still unclaimed. */
  readonly isBehind: (destination: string) => boolean;
  /** A queued task has got its slot, so its queue has room. */
  readonly onRoom: () => void;
}

const nothingToGiveBack = (): void => undefined;

/** Time for an attempt to end, and its outcome to be written, before its claim expires. */
const CLAIM_MARGIN_MS = 30_000;

export type PostEnding = Pick<Settlement, 'callbackId' | 'answer' | 'refused' | 'isDurable'>;

export class Dispatcher {
  readonly #dependencies: DispatcherDependencies;
  /** By delivery id. */
  readonly #tasks = new Map<number, Task>();
  /** By destination: the tasks that wait for its slots or for room, the oldest callback first. */
  readonly #queues = new Map<string, Task[]>();
  /** By destination: how many attempts are running. */
  readonly #running = new Map<string, number>();
  /** By destination: called when one of so many running attempts has ended that no more may begin. */
  readonly #onRoom = new Map<string, () => void>();
  readonly #underWay = new UnderWay();
  #isStopping = false;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
  }

  has(deliveryId: number): boolean {
    return this.#tasks.has(deliveryId);
  }

  get queued(): readonly string[] {
    return [...this.#queues.keys()];
  }

  /** Whether all of a plan's destinations could be attempted at once, and nothing waits for them. */
  hasRoomFor({ destinations, perhaps }: Plan): boolean {
    const { paces, isBehind, ledger } = this.#dependencies;
    const isFree = ({ destination }: PlannedTarget) =>
      (this.#running.get(destination) ?? 0) < MOST_OF_DESTINATION &&
      !isBehind(destination) &&
      !this.#queues.has(destination) &&
      !paces.isPaced(destination);
    return !this.#isStopping && ledger.isHeard && destinations.every(isFree) && perhaps.every(isFree);
  }

  /** Takes in hand a delivery that this process has claimed. Work on it begins only after this returns. */
  submit(order: Order): Task {
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const task: Task = { ...order, attempts: [], isTakenOver: false, ended, end };
    this.#tasks.set(task.record.id, task);
    this.#underWay.until(task.ended);
    queueMicrotask(() => this.#take(task));
    return task;
  }

  /** Marks the tasks of these deliveries as taken over, so that the POSTs that wait for them ask for no retry. */
  noteTakenOver(deliveryIds: readonly number[]): void {
    for (const task of deliveryIds.flatMap((id) => this.#tasks.get(id) ?? [])) task.isTakenOver = true;
  }

  /** Concludes the tasks that have no running attempt: they are taken over. */
  release(tasks: Iterable<Task>): void {
    for (const task of tasks) if (task.attempt === undefined) this.#conclude(task, true);
  }

  /**
   * Writes the outcomes of tasks whose attempts have ended, and the answer to their POST, in one transaction.
   * @param withinMs left out: no POST waits for it @throws {LedgerUnavailable} the tasks have ended nevertheless
   */
  async settle(tasks: readonly Task[], ending: PostEnding, withinMs?: number): Promise<void> {
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

  until(work: Promise<unknown>): void {
    this.#underWay.until(work);
  }

  /** Makes an attempt without a delivery in the ledger. @returns undefined: none may be made there for now */
  async once(begun: Begun): Promise<AttemptResult | undefined> {
    const { paces, attempts } = this.#dependencies;
    const { destination } = begun.addressed;
    if (this.#isStopping || paces.waitMs(destination) > 0) return undefined;
    return this.#resultOf(new Attempt(begun, attempts), destination);
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Begins no more attempts. Waiting tasks are taken over, so that they are delivered after the next start. */
  stop(): void {
    this.#isStopping = true;
    this.release(this.#tasks.values());
  }

  /** Ends every running attempt with the failure `cut_off`. */
  cut(): void {
    for (const { attempt } of this.#tasks.values()) attempt?.cut();
  }

  /** Resolves when no task is in hand and no write is under way. */
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

  /** Whether a POST must leave the delivery to the loop: others are due before it, or it was taken over and would need a slot. */
  #isLeftAlone({ record: { destination, isTakenOver }, onEnded }: Task): boolean {
    if (onEnded === undefined) return false;
    const { paces, isBehind } = this.#dependencies;
    return isBehind(destination) || (isTakenOver && paces.isPaced(destination));
  }

  /** Attempts the task at once if its destination keeps no pace and has room; otherwise queues it by age if its slot comes in time. */
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
    if (!isPaced && queue.length === 0 && this.#hasRoom(destination)) return void this.#run(task);
    queue.splice(ahead, 0, task);
    if (this.#queues.has(destination)) return;
    this.#queues.set(destination, queue);
    void this.#serve(queue, destination);
  }

  /** Attempts the queue's tasks, one per slot, until the queue is empty. */
  async #serve(queue: Task[], destination: string): Promise<void> {
    const { paces, onRoom } = this.#dependencies;
    for (let [next] = queue; next !== undefined; [next] = queue) {
      if (!this.#hasRoom(destination))
        await new Promise<void>((resolve) => this.#onRoom.set(destination, resolve));
      const hasSlot = await paces.slot(destination, next.until);
      if (!hasSlot) this.#conclude(next, true);
      // While it waited for the slot, an older task may have come to the front.
      const chosen = hasSlot ? queue.shift() : undefined;
      if (chosen === undefined) continue;
      void this.#run(chosen);
      onRoom();
    }
    this.#queues.delete(destination);
  }

  #hasRoom(destination: string): boolean {
    return (this.#running.get(destination) ?? 0) < MOST_CALLS;
  }

  #count(destination: string, by: 1 | -1): void {
    const running = (this.#running.get(destination) ?? 0) + by;
    if (running === 0) this.#running.delete(destination);
    else this.#running.set(destination, running);
    if (by < 0) this.#onRoom.get(destination)?.();
    if (by < 0) this.#onRoom.delete(destination);
  }

  async #run(task: Task): Promise<void> {
    const { record, planned, notice, firstReceivedAt, settings, asOf: now, composed } = task;
    if (planned === undefined) return;
    const { destination } = record;
    this.#count(destination, 1);
    const giveBack = await this.#turnOf(task);
    // Who is not heard may be taken for dead, and another process begin the same attempt.
    if (giveBack === undefined || !this.#dependencies.ledger.isHeard) this.#conclude(task, true);
    else if (task.update === undefined) {
      const at = { firstReceivedAt, now, config: settings.config };
      const addressed = addressedTo(notice, planned, record, at);
      const begun = { addressed, settings, composed, ...this.#longer(task) };
      task.attempt = new Attempt(begun, this.#dependencies.attempts);
      const result = await this.#resultOf(task.attempt, destination);
      task.attempt = undefined;
      task.attempts.push(result);
      this.#goOn(task, result);
    }
    giveBack?.();
    this.#count(destination, -1);
  }

  /** The channel's own connection is no attempt to wait for. @returns gives it back; undefined: none came in time */
  #turnOf({ planned, record, settings, until }: Task): Promise<(() => void) | undefined> | (() => void) {
    const { channel } = settings.channels.get(planned?.channel ?? '') ?? {};
    return (
      channel?.turn?.(until - this.#dependencies.clock.monotonic(), record.destination) ?? nothingToGiveBack
    );
  }

  #longer(task: Task): Pick<Begun, 'isOwn' | 'onLonger'> {
    const { clock, onUnforeseen } = this.#dependencies;
    const isUnderWay = () => task.attempt !== undefined;
    const hold = (leftMs: number) => this.holdClaims([task], leftMs);
    const onLonger = (ms: number) => void lengthen(ms, { clock, onUnforeseen, isUnderWay, hold });
    return { isOwn: task.onEnded === undefined, onLonger };
  }

  /** Keeps claims whose attempts go on for so long, and has Botbell answer for them. @throws {LedgerUnavailable} */
  async holdClaims(tasks: readonly Task[], ms: number, withinMs?: number): Promise<void> {
    const ids = tasks.map(({ record }) => record.id);
    await this.#dependencies.ledger.takeOver(ids, withinMs, ms + CLAIM_MARGIN_MS);
    this.noteTakenOver(ids);
  }

  /** The attempt's result, after the pause that the remote asked for has been noted. */
  async #resultOf({ result: made }: Attempt, destination: string): Promise<AttemptResult> {
    const result = await made;
    const { failure } = result;
    const pauseMs =
      failure?.retryAfterMs ?? (failure?.class === 'rate_limited' ? UNSPECIFIED_PAUSE_MS : undefined);
    if (pauseMs !== undefined) this.#dependencies.paces.limited(destination, pauseMs, failure?.concerns);
    return result;
  }

  #goOn(task: Task, { failure }: AttemptResult): void {
    if (failure === undefined) return this.#conclude(task, false);
    if (failure.class === 'rate_limited') return this.#enqueue(task);
    const { clock, random } = this.#dependencies;
    const { settings, until, attempts } = task;
    if (this.#isStopping && failure.class === 'transient') return this.#conclude(task, true);
    const waitMs = retryInMs(attempts, settings.config.delivery, random());
    if (waitMs === undefined || !fits(waitMs, until - clock.monotonic())) return this.#conclude(task, false);
    clock.startTimer(waitMs, () => this.#enqueue(task));
  }

  /** @param isDeferred it still waits for an attempt, so it is taken over */
  #conclude(task: Task, isDeferred: boolean): void {
    if (task.update !== undefined) return;
    const { record, attempts, settings, planned, onEnded } = task;
    const queue = this.#queues.get(record.destination) ?? [];
    if (queue.includes(task)) queue.splice(queue.indexOf(task), 1);
    const context = { policy: settings.config.delivery, random: this.#dependencies.random() };
    const update = updateAfter(record, attempts, isDeferred, context);
    // Without a plan there was no new attempt, and the config in force may have mended the error on record.
    const pauseMs = attempts.at(-1)?.failure?.retryAfterMs;
    task.update = planned === undefined ? update : withAlert(update, task, settings.config.delivery, pauseMs);
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
