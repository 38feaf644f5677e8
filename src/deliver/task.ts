/** One delivery in this process's hands: from its claim until what came of it is written down. */
import type { DeliveryRecord, DeliveryUpdate, DueDelivery } from '../ledger/ledger.ts';
import type { AttemptResult, RunningAttempt } from './attempt.ts';
import type { Queued } from './queue.ts';
import type { PlannedTarget, Settings } from './settings.ts';

/** What is to be delivered, by which settings, until when. */
export interface Order extends Omit<DueDelivery, 'isTakenOver'> {
  /** Undefined: the settings do not send it there any more. */
  readonly planned: PlannedTarget | undefined;
  readonly settings: Settings;
  /** By the monotonic clock: no attempt begins after it; one that was begun before is seen through. */
  readonly until: number;
  /** The POST that waits for it, if any does. */
  readonly waiter?: Waiter;
  /** False: too many wait for the destination, BOT or job already. */
  readonly mayWait?: boolean;
}

/** A POST, as its deliveries see it. */
export interface Waiter {
  /** Its attempts have ended. @returns whether the POST has it written down together with its answer */
  takes(task: Task): boolean;
  /** Milliseconds that are left to write down what came of it; undefined: the answer is out. */
  readonly leftMs: number | undefined;
}

export class Task implements Queued {
  readonly order: Order;
  readonly attempts: AttemptResult[] = [];
  /** How many of the attempts have failed but for a rate limit. */
  failures = 0;
  attempt: RunningAttempt | undefined;
  /** How it stands since its attempts ended. */
  update: DeliveryUpdate | undefined;
  /** Why that could not be written down. */
  error: unknown;
  /** Resolves when this process is done with it, written down or not. */
  readonly ended: Promise<void>;
  readonly end: () => void;

  constructor(order: Order) {
    this.order = order;
    let end = () => {};
    this.ended = new Promise((resolve) => (end = resolve));
    this.end = end;
  }

  get record(): DeliveryRecord {
    return this.order.record;
  }

  get callbackId(): number {
    return this.order.callbackId;
  }

  get isGivenBack(): boolean {
    return this.record.givenBackAt !== undefined;
  }
}
