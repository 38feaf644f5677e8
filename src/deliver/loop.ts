/** Attempts and settles every delivery that this process has claimed, whether a POST waits for it or not. */
import { type DeliveryName, isSame, type Settlement } from '../ledger/ledger.ts';
import { MOST_OF_DESTINATION } from '../ledger/deliveries/claim.ts';
import type { Plan, PlannedTarget } from '../route/router.ts';
import { ReleasingMap, UnderWay } from '../time/clock.ts';
import { type AttemptResult, Sending } from './attempt.ts';
import type { Delivering } from './delivering.ts';
import { type Claimed, Delivery, type Ending } from './delivery.ts';
import { Calls, Failing, SeenDestinations } from './destinations.ts';
import { attemptRecords, milestoneOf, nextAfter, retryInMs, needsPerson } from './outcome.ts';
import { fits } from './pace.ts';
import type { AddressedNotice } from './settings.ts';

/** For what hands deliveries to the loop: POSTs, claims, timers. */
export type DeliveringByLoop = Delivering & { readonly loop: Loop };

export class Loop {
  readonly #dependencies: Delivering;
  /** By id. */
  readonly #inHand = new ReleasingMap<number, Delivery>();
  /** By destination: the deliveries that wait for a slot of its pace or a place among the calls, the oldest callback first. */
  readonly #queues = new Map<string, Delivery[]>();
  readonly #calls = new Calls();
  readonly failing = new Failing();
  readonly seen = new SeenDestinations();
  /** Destinations with due deliveries that are still unclaimed for lack of room: new ones there must wait behind these. */
  backlogged: ReadonlySet<string> = new Set();
  /** The deliveries in hand, and the writes for them. */
  readonly underWay = new UnderWay();
  #isStopping = false;

  constructor(dependencies: Delivering) {
    this.#dependencies = dependencies;
  }

  /** Whether it is in hand. @param claimedAnew for a caller that has claimed it anew: called when it is in hand no more, if its outcome is `pending` */
  has(delivery: DeliveryName, claimedAnew?: () => void): boolean {
    const found = this.#find(delivery);
    if (found?.update?.state === 'pending') found.claimedAnew ??= claimedAnew;
    return found !== undefined;
  }

  /** Compares more than the id: a store that lost the delivery may have given its id to another one. */
  #find(name: DeliveryName): Delivery | undefined {
    const found = this.#inHand.get(name.id);
    return found !== undefined && isSame(found.record, name) ? found : undefined;
  }

  /** `own`: the destination of each delivery that no POST waits for; `queued`, `troubled`: destinations. */
  get inHand() {
    const own = [...this.#inHand].flatMap(({ isPosted, destination }) => (isPosted ? [] : destination));
    return { own, queued: [...this.#queues.keys()], troubled: [...this.#calls.troubled] };
  }

  /** Whether new deliveries to a plan's destinations are attempted soon: there are places, few wait for one, and none is left unclaimed in the ledger. */
  hasRoomFor({ destinations, perhaps }: Plan): boolean {
    const { paces, ledger } = this.#dependencies;
    const isFree = ({ destination }: PlannedTarget) =>
      (this.#queues.get(destination)?.length ?? 0) < MOST_OF_DESTINATION &&
      this.#calls.roomFor(destination, Infinity) > 0 &&
      !this.#calls.troubled.has(destination) &&
      !this.backlogged.has(destination) &&
      !paces.isPaced(destination);
    return !this.#isStopping && ledger.upkeep.isHeard && destinations.every(isFree) && perhaps.every(isFree);
  }

  /** Takes in hand a delivery that this process has claimed; `begin` starts work on it. */
  take(claimed: Claimed): Delivery {
    const delivery = new Delivery(claimed, this.#dependencies, this.#onPastTime);
    this.#inHand.set(delivery.record.id, delivery);
    this.underWay.begin();
    return delivery;
  }

  begin(delivery: Delivery): void {
    const { behind } = delivery.record;
    if (this.#isStopping || delivery.planned === undefined || this.#isLeftAlone(delivery))
      return this.#end(delivery, true);
    if (behind === undefined) return this.#enqueue(delivery);
    const before = this.#inHand.get(behind);
    if (before?.isInTime === true) before.followers.push(delivery);
    else this.#end(delivery, true);
    if (before !== undefined) before.mayHaveNext = true;
  }

  /** Takes over those of the deliveries that are not being attempted; by default, of all in hand. @param isLost nothing of the others is to be sent any more */
  release(deliveries: Iterable<Delivery> = this.#inHand, isLost = false): void {
    for (const delivery of deliveries)
      if (delivery.isAttempted) delivery.mayBeLost ||= isLost;
      else this.#end(delivery, true);
  }

  /** Its POST no longer waits for the delivery; the deliveries that wait behind it are taken over. */
  detachPost(delivery: Delivery): void {
    delivery.post = undefined;
    this.release(delivery.followers.splice(0));
  }

  /** Takes deliveries over, even while they are being attempted: the POSTs that wait for them ask for no retry. @throws {LedgerUnavailable} */
  async takeOver(names: readonly DeliveryName[], withinMs?: number): Promise<void> {
    if (names.length === 0) return;
    await this.#dependencies.ledger.takeOver(names, withinMs);
    for (const delivery of names.flatMap((name) => this.#find(name) ?? [])) delivery.isTakenOver = true;
  }

  /** Sends a notice that is not in the ledger. @returns undefined: nothing may be sent there for now */
  async sendUnrecorded(addressed: AddressedNotice): Promise<AttemptResult | undefined> {
    const { paces, settings } = this.#dependencies;
    if (this.#isStopping || paces.waitMs(addressed.destination) > 0) return undefined;
    const result = await new Sending(settings.current, this.#dependencies).attempt(addressed);
    this.#note(addressed.destination, result);
    return result;
  }

  /** Begins no more attempts. Deliveries that wait are taken over, so that they are attempted after the next start. */
  stop(): void {
    this.#isStopping = true;
    this.release();
  }

  cutOff(): void {
    for (const delivery of this.#inHand) delivery.cutOff();
  }

  /** Whether it is deferred: it waits for somebody; or, with a POST, others are due before it, its destination is down, or it is taken over and needs a slot. */
  #isLeftAlone({ destination, isTakenOver, isPosted, record }: Delivery): boolean {
    if (!isPosted) return needsPerson(record.lastError);
    if (this.backlogged.has(destination) || this.failing.isDown(destination)) return true;
    return isTakenOver && this.#dependencies.paces.isPaced(destination);
  }

  /** Attempts it at once if its destination keeps no pace and has room; otherwise queues it by age if its slot comes in time. */
  #enqueue(delivery: Delivery): void {
    if (delivery.update !== undefined) return;
    const { destination, record, until } = delivery;
    const { clock, paces } = this.#dependencies;
    const isPaced = paces.isPaced(destination);
    const queue = this.#queues.get(destination);
    const ahead = queue?.filter((other) => other.record.callbackId < record.callbackId).length ?? 0;
    const waitMs = isPaced ? paces.waitMs(destination) + ahead * paces.intervalMs(destination) : 0;
    if (this.#isStopping || !fits(waitMs, until - clock.monotonic())) return this.#end(delivery, true);
    if (queue !== undefined) return void queue.splice(ahead, 0, delivery);
    if (!isPaced && this.#calls.begin(destination)) return this.#call(delivery);
    const begun = [delivery];
    this.#queues.set(destination, begun);
    void this.#serve(begun, destination);
  }

  /** Attempts what is queued, one at each slot, until the queue is empty. */
  async #serve(queue: Delivery[], destination: string): Promise<void> {
    const { paces, onDue } = this.#dependencies;
    while (queue.length > 0) {
      await this.#calls.waitForPlace(destination);
      const [next] = queue;
      const hasSlot = next !== undefined && (await paces.slot(destination, next.until));
      if (next !== undefined && !hasSlot) this.#end(next, true);
      // While it waited for the slot, an older one may have come to the front.
      const chosen = hasSlot ? queue.shift() : undefined;
      if (chosen === undefined) {
        this.#calls.end(destination);
        continue;
      }
      this.#call(chosen);
      if (this.backlogged.size > 0) onDue();
    }
    this.#queues.delete(destination);
  }

  /** Attempts a delivery that has a place among the calls, once the channel has a connection for it. */
  #call(delivery: Delivery): void {
    const { planned, destination, settings, until } = delivery;
    const { channel } = settings.channels.get(planned?.channel ?? '') ?? {};
    const turn = channel?.turn?.(until - this.#dependencies.clock.monotonic(), destination);
    void (turn instanceof Promise ? this.#callInTurn(delivery, turn) : this.#attempt(delivery, turn));
  }

  async #callInTurn(delivery: Delivery, turn: Promise<(() => void) | undefined>): Promise<void> {
    const giveBack = await turn;
    // The attempt that it waited for may have met a rate limit.
    const isPaused = this.#dependencies.paces.isPaused(delivery.destination);
    if (giveBack !== undefined && !isPaused) return this.#attempt(delivery, giveBack);
    if (giveBack === undefined) this.#end(delivery, true);
    else this.#enqueue(delivery);
    giveBack?.();
    this.#calls.end(delivery.destination);
  }

  async #attempt(delivery: Delivery, giveBack?: () => void): Promise<void> {
    const { planned, destination } = delivery;
    const { ledger, settings } = this.#dependencies;
    // A process that is not heard may be taken for dead, and another begin the same attempt. What has waited through a reload follows the new config.
    const mayBegin = ledger.upkeep.isHeard && delivery.settings === settings.current;
    if (planned === undefined || !mayBegin) this.#end(delivery, true);
    const asked = delivery.update ? undefined : planned && delivery.jobMessages(planned, ledger);
    // If the store does not answer, the destination has not failed.
    const perJob = asked && (await asked.catch(() => this.#end(delivery, true)));
    if (planned !== undefined && delivery.update === undefined)
      this.#attempted(delivery, await delivery.send(planned, perJob ?? undefined));
    giveBack?.();
    this.#calls.end(destination);
  }

  #attempted(delivery: Delivery, result: AttemptResult): void {
    delivery.attempts = [...delivery.attempts, result];
    if (result.failure && delivery.isLeftOff(this.#dependencies.settings.current))
      return this.#end(delivery, !result.failure.mayHaveArrived);
    this.#note(delivery.destination, result);
    this.#goOn(delivery, result);
  }

  /** Notes what an attempt says about its destination, and the pause that the remote has asked for. */
  #note(destination: string, result: AttemptResult): void {
    const { failure, endedAt } = result;
    this.seen.attempted(destination, result);
    const wasDown = this.failing.countAttempt(destination, failure?.class, endedAt);
    if (wasDown !== undefined) this.endFailing(destination, wasDown);
    this.#calls.note(destination, failure?.class === 'transient');
    if (failure?.retryAfterMs !== undefined) this.#dependencies.paces.pausedBy(destination, failure);
  }

  /** Makes due what has waited for a destination that was down. */
  endFailing(destination: string, wasDown = true): void {
    const { ledger, onDue, onUnwritten } = this.#dependencies;
    this.underWay.until(ledger.endFailing(destination, wasDown).then(onDue, onUnwritten));
  }

  /** An attempt continues past its time limit: its POST and the deliveries behind it need not wait any longer. */
  readonly #onPastTime = (delivery: Delivery): void => {
    this.#calls.note(delivery.destination, true);
    this.release(delivery.followers.splice(0));
    if (delivery.post !== undefined) void this.#answerFor(delivery).catch(() => undefined);
  };

  /** Takes the delivery over, so that its POST can be answered. If that cannot be written now, the POST waits until its deadline. */
  async #answerFor(delivery: Delivery): Promise<void> {
    await this.takeOver([delivery.record]);
    const post = delivery.update === undefined ? delivery.post : undefined;
    this.detachPost(delivery);
    post?.endWait();
  }

  #goOn(delivery: Delivery, { failure }: AttemptResult): void {
    if (failure === undefined) return this.#end(delivery, false);
    if (nextAfter(failure) === 'pause') return this.#enqueue(delivery);
    const { clock, paces, random } = this.#dependencies;
    const { settings, until, attempts } = delivery;
    if (this.#isStopping && failure.class === 'transient') return this.#end(delivery, true);
    const isDown = this.failing.isDown(delivery.destination);
    const waitMs = isDown ? undefined : retryInMs(attempts, settings.config.delivery, random());
    const inMs = Math.max(waitMs ?? Infinity, paces.waitMs(delivery.destination));
    if (waitMs === undefined || !fits(inMs, until - clock.monotonic())) return this.#end(delivery, false);
    clock.startTimer(waitMs, () => this.#enqueue(delivery));
  }

  /** @param isDeferred it still waits for an attempt, so it is taken over */
  #end(delivery: Delivery, isDeferred: boolean): void {
    if (delivery.update !== undefined) return;
    const { destination, post } = delivery;
    const queue = this.#queues.get(destination);
    if (queue?.includes(delivery) === true) queue.splice(queue.indexOf(delivery), 1);
    delivery.end(isDeferred, this.#dependencies.random, this.failing.isDown(destination));
    const ending = post?.ended() ?? delivery.endingWithoutPost;
    const written = this.settle(delivery.record, ending, post?.leftMs, delivery);
    post?.waitFor(written);
  }

  /** Writes a delivery's outcome, a POST's answer, or both. Never rejects. @returns the error, unless only a success was not written: the ledger keeps that */
  async settle(
    { callbackId, receivedAt }: Pick<Settlement, 'callbackId' | 'receivedAt'>,
    { answer, isDurable }: Ending,
    withinMs: number | undefined,
    delivery?: Delivery,
  ): Promise<unknown> {
    const { ledger, onDue, onUnwritten } = this.#dependencies;
    const attempts = attemptRecords(delivery?.attempts ?? []);
    const outcome = { callbackId, receivedAt, update: delivery?.update, attempts, answer, isDurable };
    try {
      if (await ledger.settle(outcome, withinMs)) onDue();
      return undefined;
    } catch (error) {
      onUnwritten(error);
      return answer === undefined && outcome.update?.state === 'delivered' ? undefined : error;
    } finally {
      if (delivery !== undefined) this.#letGo(delivery, withinMs === undefined);
    }
  }

  #letGo(delivery: Delivery, isLate: boolean): void {
    const { record, notice, update, followers, mayHaveNext } = delivery;
    if (this.#inHand.get(record.id) === delivery) this.#inHand.delete(record.id);
    const name = update && milestoneOf(update, record, isLate);
    if (update && name) this.#dependencies.onMilestone({ record, notice, ...update, name });
    if (update?.state === 'pending') this.release(followers);
    else for (const follower of followers) this.#enqueue(follower);
    delivery.claimedAnew?.();
    if (mayHaveNext || this.backlogged.size > 0) this.#dependencies.onDue();
    this.underWay.end();
  }
}
