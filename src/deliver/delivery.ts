/** One delivery in the hands of this process: from its claim until its outcome is written. */
import type { JobMessages } from '../channels/channel.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { DeliveryRecord, DeliveryUpdate, DueDelivery, Settlement } from '../ledger/ledger.ts';
import { aboutOf, isAlert, type Notice } from '../notice/notice.ts';
import type { PlannedTarget } from '../route/router.ts';
import type { Random } from '../text/random.ts';
import { withAlert } from './alerts.ts';
import { addressedTo, type AttemptDependencies, type AttemptResult, Sending } from './attempt.ts';
import { updateAfter } from './outcome.ts';
import { type AddressedNotice, isReplaced, type Settings } from './settings.ts';

/** A delivery that this process has claimed, the settings to deliver it by, and its deadline. */
export interface Claimed extends Pick<DueDelivery, 'record' | 'notice'> {
  /** The store's time at the claim. */
  readonly asOf: number;
  /** Undefined: the settings no longer route it there, or too many POSTs wait already. It is not attempted then. */
  readonly planned: PlannedTarget | undefined;
  readonly settings: Settings;
  /** By the monotonic clock. No attempt begins later; a running attempt may end later. */
  readonly until: number;
  /** The POST that waits for it; left out: none does. */
  readonly post?: WaitingPost | undefined;
}

/** What the loop asks of a POST that waits for deliveries. */
export interface WaitingPost {
  /** Milliseconds that a write may take now. */
  readonly leftMs: number;
  /** One of its deliveries has ended. @returns what is to be written with that: the answer, if the POST waits for nothing else */
  ended(): Ending | undefined;
  /** One of its deliveries was taken over while its attempt continues: the POST no longer waits for that delivery. */
  endWait(): void;
  /** Answers only after this write. @param written resolves to the error if that forbids a 200; never rejects */
  waitFor(written: Promise<unknown>): void;
}

/** What is written with an outcome. `answer`: the POST's, if it waits for nothing else. */
export type Ending = Pick<Settlement, 'answer' | 'isDurable'>;

export class Delivery extends Sending {
  readonly record: DeliveryRecord;
  readonly planned: PlannedTarget | undefined;
  readonly until: number;
  /** A POST has waited for it, so its failure may be answered non-2xx. */
  readonly isPosted: boolean;
  declare readonly settings: Settings;
  attempts: readonly AttemptResult[] = [];
  /** Later deliveries of its job to its destination, which wait until it has ended. */
  readonly followers: Delivery[] = [];
  notice: Notice;
  /** Undefined: no POST waits for it, or no longer. */
  post: WaitingPost | undefined;
  /** Botbell retries it by itself: the service need not post it again. */
  isTakenOver: boolean;
  /** Once it has ended, another delivery of its job may be due in the store. */
  mayHaveNext = false;
  /** This process was not heard for so long that another one may have it by now. */
  mayBeLost = false;
  /** Called when it is no longer in hand; set if it has been claimed anew by then. */
  claimedAnew: (() => void) | undefined;
  /** Its outcome, once its attempts have ended. */
  update: DeliveryUpdate | undefined;
  readonly #asOf: number;
  readonly #upkeep: Pick<DatabaseLedger['upkeep'], 'isHeard'>;
  /** One function for all deliveries: V8 would keep a function per delivery, and all that it refers to, for long. */
  readonly #onPastTime: (delivery: Delivery) => void;
  #addressed: AddressedNotice | undefined;

  /** @param onPastTime called when an attempt continues past its time limit */
  constructor(
    claimed: Claimed,
    dependencies: AttemptDependencies & { readonly ledger: Pick<DatabaseLedger, 'upkeep'> },
    onPastTime: (delivery: Delivery) => void,
  ) {
    super(claimed.settings, dependencies);
    this.record = claimed.record;
    this.notice = claimed.notice;
    this.planned = claimed.planned;
    this.until = claimed.until;
    this.post = claimed.post;
    this.isPosted = claimed.post !== undefined;
    this.isTakenOver = claimed.record.isTakenOver;
    this.#asOf = claimed.asOf;
    this.#upkeep = dependencies.ledger.upkeep;
    this.#onPastTime = onPastTime;
  }

  protected override onPastTime(): void {
    this.#onPastTime(this);
  }

  protected override maySend(): boolean {
    return !this.mayBeLost && this.#upkeep.isHeard;
  }

  /** Whether its failure says nothing about its destination: its message was withheld, or met settings of its channel that a reload has replaced. */
  isLeftOff(current: Pick<Settings, 'channels'>): boolean {
    return this.isWithheld || isReplaced(this.planned?.channel ?? '', this.settings, current);
  }

  get destination(): string {
    return this.record.destination;
  }

  /** Whether a later delivery of its job may wait for it: not once its attempt is past its time limit, or its POST no longer waits. */
  get isInTime(): boolean {
    return !this.isPastTime && (!this.isPosted || this.post !== undefined);
  }

  /** Decides its outcome. @param isDeferred it still waits for an attempt, so it is taken over @param isDown its destination is down */
  end(isDeferred: boolean, random: Random, isDown: boolean): void {
    const { delivery: policy } = this.settings.config;
    const update = updateAfter(this.record, this.attempts, isDeferred, { policy, random, isDown });
    const pauseMs = this.attempts.at(-1)?.failure?.retryAfterMs;
    // Without a plan there was no new attempt, and the config in force may have mended the error on record.
    const hasFailed = this.planned !== undefined && update.lastError !== undefined;
    this.update = hasFailed ? withAlert(update, this, policy, { pauseMs, isDown }) : update;
  }

  /** How its outcome is written if no POST's answer is written with it. */
  get endingWithoutPost(): Ending {
    return { isDurable: this.isPosted && this.update?.state !== 'delivered' };
  }

  /** Makes its message before the attempt: its callback may take megabytes. @param after the notice, with only what is needed from then on */
  render(after: Notice): void {
    try {
      if (this.planned !== undefined) this.composeAhead(this.#addressedTo(this.planned));
    } catch {
      // The attempt will fail for the same reason, and report it.
      return;
    }
    this.notice = after;
    this.#addressed = undefined;
  }

  /** Its job's earlier messages there. @returns undefined: it stands alone, or an edit would overwrite what a later callback said @throws {LedgerUnavailable} */
  jobMessages(
    planned: PlannedTarget,
    ledger: Pick<DatabaseLedger, 'jobMessages'>,
  ): Promise<JobMessages | undefined> | undefined {
    const { perJob: mode, notice, destination, callbackId } = this.#addressedTo(planned);
    const { job_id: jobId, bot_id: botId } = aboutOf(notice);
    if (mode === 'message' || jobId === '' || callbackId === undefined) return undefined;
    return ledger
      .jobMessages({ jobId, botId, destination, callbackId })
      .then(({ root, isOvertaken }) =>
        mode === 'update' && isOvertaken ? undefined : { mode, root, isLoud: isLoud(notice) },
      );
  }

  send(planned: PlannedTarget, perJob: JobMessages | undefined): Promise<AttemptResult> {
    return this.attempt(this.#addressedTo(planned), !this.isPosted, perJob);
  }

  #addressedTo(planned: PlannedTarget): AddressedNotice {
    this.#addressed ??= addressedTo(this.notice, planned, this.record, {
      now: this.#asOf,
      config: this.settings.config,
    });
    return this.#addressed;
  }
}

/** An error, or a run that takes too long, must not be overlooked in a thread or an edit. */
function isLoud(notice: Notice): boolean {
  return notice.template === 'overdue' || (!isAlert(notice) && notice.callback.status === 1);
}
