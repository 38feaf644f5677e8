/** A POST that waits: it is answered when its deliveries have ended, or when it leaves, and reads its verdict from them. */
import { LONGEST_ANSWER_MS } from '../channels/channel.ts';
import type { Admission, DeliveryRecord } from '../ledger/ledger.ts';
import type { Delivering } from './delivering.ts';
import type { Delivery, Ending, WaitingPost } from './delivery.ts';
import type { Loop } from './loop.ts';
import { judge, mustSurvive, type PostedDelivery, refusedIn, type Verdict } from './outcome.ts';
import { RESERVE_MS, type Settings } from './settings.ts';

export type Posting = Delivering & { readonly loop: Loop };

/** An admitted callback, without its body, with the settings that were in force when it came; a reload does not change them. */
export interface Posted {
  /** By this machine's clock: for people, in the story. */
  readonly receivedAt: number;
  /** The same by the monotonic clock. */
  readonly arrivedAt: number;
  readonly settings: Settings;
  readonly admission: Omit<Admission, 'callback'>;
  /** When it leaves at the latest, by the monotonic clock. */
  readonly until: number;
}

export class OpenPost implements WaitingPost {
  readonly #posting: Posting;
  readonly #posted: Posted;
  /** The deliveries that it waits for, by id. */
  readonly #own = new Map<number, Delivery>();
  /** Deliveries that another POST or process has in hand, and that were taken over for it. */
  readonly #takenOver = new Set<number>();
  /** Resolves when those have been taken over, or cannot be. */
  #taking: Promise<void> | undefined;
  /** As in `WaitingPost.waitsFor`. */
  readonly #writing: Promise<unknown>[] = [];
  /** How much it waits for still. One is its beginning, so that it is not over before that. */
  #open = 1;
  #hasLeft = false;
  #verdict: Verdict | undefined;
  #close = (_verdict: Verdict): void => undefined;
  #stopTimer = (): void => undefined;

  constructor(posting: Posting, posted: Posted) {
    this.#posting = posting;
    this.#posted = posted;
  }

  /** Has its deliveries attempted, and waits for them. @throws {LedgerUnavailable} an outcome other than `delivered` could not be written */
  async answer(own: readonly Delivery[]): Promise<Verdict> {
    const { clock, loop } = this.#posting;
    const closed = new Promise<Verdict>((resolve) => (this.#close = resolve));
    for (const delivery of own) this.#own.set(delivery.record.id, delivery);
    this.#open += own.length;
    this.#takeOver();
    for (const delivery of own) loop.begin(delivery);
    this.#countDown();
    if (this.#verdict === undefined)
      this.#stopTimer = clock.startTimer(this.#posted.until - clock.monotonic(), () => this.leave(false));
    const verdict = await closed;
    const failure = (await Promise.all(this.#writing)).find((error) => error !== undefined);
    // A 200 that is not written is safe only if all is delivered: nobody would retry what is still pending.
    if (failure !== undefined && verdict.status === 200 && mustSurvive(verdict)) throw failure as Error;
    return verdict;
  }

  /** Whether it only waits for attempts to begin, or has waited since then. @param since by the monotonic clock */
  mayBeRelieved(since: number): boolean {
    if (this.#hasLeft || this.#verdict !== undefined) return false;
    const isAttempted = [...this.#own.values()].some((delivery) => delivery.isAttempted);
    return !isAttempted || this.#posted.arrivedAt <= since;
  }

  /**
   * What only waits is taken over. So is a message that was handed over, and that may be answered later: it must not be sent anew.
   * @param isRelieved so is whatever is being attempted
   */
  leave(isRelieved: boolean): void {
    if (this.#hasLeft || this.#verdict !== undefined) return;
    const { loop } = this.#posting;
    this.#hasLeft = true;
    loop.release(this.#own.values());
    const attempted = [...this.#own.values()].filter(({ update }) => update === undefined);
    const held = attempted.filter(({ isHandedOver }) => isRelieved || isHandedOver);
    const holding = held.length === 0 ? undefined : this.#hold(held);
    for (const delivery of attempted) loop.leave(delivery);
    void Promise.all([this.#taking, holding]).then(() => this.#write(this.#conclude()));
  }

  ended(): Ending | undefined {
    this.#open -= 1;
    return this.#open === 0 && !this.#hasLeft ? this.#conclude() : undefined;
  }

  waitsFor(written: Promise<unknown>): void {
    this.#writing.push(written);
  }

  /** At least half of the reserve, even past the deadline. */
  get leftMs(): number {
    const half = RESERVE_MS / 2;
    return Math.max(half, this.#posted.until + half - this.#posting.clock.monotonic());
  }

  #countDown(): void {
    const ending = this.ended();
    if (ending !== undefined) this.#write(ending);
  }

  /** Pending deliveries that another POST or process has in hand are taken over. */
  #takeOver(): void {
    const { ledger, loop } = this.#posting;
    const elsewhere = this.#posted.admission.deliveries.flatMap(({ id, state, isTakenOver }) =>
      state !== 'pending' || isTakenOver || this.#own.has(id) ? [] : id,
    );
    if (elsewhere.length === 0) return;
    this.#open += 1;
    const note = () => {
      for (const id of elsewhere) this.#takenOver.add(id);
      loop.noteTakenOver(elsewhere);
    };
    this.#taking = ledger.takeOver(elsewhere, this.leftMs).then(note, () => undefined);
    void this.#taking.then(() => this.#countDown());
  }

  /** Never rejects. */
  async #hold(deliveries: readonly Delivery[]): Promise<void> {
    const { loop } = this.#posting;
    const isHandedOver = deliveries.some((delivery) => delivery.isHandedOver);
    const ms = isHandedOver ? LONGEST_ANSWER_MS : this.#posted.settings.config.delivery.timeoutMs;
    await loop.hold(deliveries, ms, this.leftMs).catch(() => undefined);
  }

  #conclude(): Ending {
    const { clock } = this.#posting;
    const { receivedAt, admission } = this.#posted;
    this.#stopTimer();
    const standings = admission.deliveries.map((record) => this.#standing(record));
    const verdict = judge(standings, { isSuperseded: admission.isSuperseded, isAccepted: false });
    this.#verdict = verdict;
    this.#close(verdict);
    const { status, result } = verdict;
    const answer = { receivedAt, answeredAt: clock.now(), status, result };
    return { answer, refused: refusedIn(standings, verdict), isDurable: mustSurvive(verdict) };
  }

  /** Writes the answer by itself, since no outcome ends with it. */
  #write({ answer, refused, isDurable }: Ending): void {
    const { ledger, onDue, onUnwritten } = this.#posting;
    const { callbackId } = this.#posted.admission;
    const settlement = { callbackId, deliveries: [], attempts: [], answer, refused, isDurable };
    const written = ledger.settle(settlement, this.leftMs).then(
      (isDue) => void (isDue && onDue()),
      (error: unknown) => {
        onUnwritten(error);
        return error;
      },
    );
    this.waitsFor(written);
  }

  #standing(record: DeliveryRecord): PostedDelivery {
    const { id, destination, reason, heldUntil } = record;
    const delivery = this.#own.get(id);
    const update = delivery?.update;
    const { state, lastError } = update ?? record;
    const isTakenOver =
      record.isTakenOver ||
      delivery?.isTakenOver === true ||
      update?.isTakenOver === true ||
      this.#takenOver.has(id);
    return {
      id,
      destination,
      state,
      lastError,
      reason,
      heldUntil,
      isTakenOver,
      hasEnded: update !== undefined,
    };
  }
}
