/** One delivery in this process's hands: from its claim until what came of it is written down. */
import type { DeliveryUpdate, DueDelivery } from '../ledger/ledger.ts';
import type { AttemptResult, RunningAttempt } from './attempt.ts';
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

export interface Task extends Order {
  readonly attempts: AttemptResult[];
  /** The one that is being made. */
  attempt: RunningAttempt | undefined;
  /** How it stands since its attempts ended. */
  update: DeliveryUpdate | undefined;
  /** Why that could not be written down. */
  error: unknown;
  /** Resolves when this process is done with it, written down or not. */
  readonly ended: Promise<void>;
  readonly end: () => void;
}

export function taskOf(order: Order): Task {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { ...order, attempts: [], attempt: undefined, update: undefined, error: undefined, ended, end };
}
