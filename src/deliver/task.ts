/** A delivery in the hands of this process. */
import type { DeliveryUpdate, DueDelivery } from '../ledger/ledger.ts';
import type { AttemptResult, Begun, RunningAttempt } from './attempt.ts';
import type { PlannedTarget, Settings } from './settings.ts';

/** A claimed delivery, the settings to deliver it by, and its deadline. */
export interface Order extends Pick<DueDelivery, 'record' | 'notice' | 'firstReceivedAt'> {
  /** The store's time at the claim. */
  readonly asOf: number;
  /** Undefined: the settings no longer route it there, or too many POSTs wait already. It is not attempted then. */
  readonly planned: PlannedTarget | undefined;
  readonly settings: Settings;
  /** By the monotonic clock. No attempt begins later; a running attempt may end later. */
  readonly until: number;
  /** As in `Begun`. */
  readonly composed?: Begun['composed'];
  /** Called when its attempts have ended. @returns whether the POST writes the outcome. Left out: no POST waits for it. */
  readonly onEnded?: (task: Task) => boolean;
}

/** One delivery in hand in this process, from its claim until its outcome is written. */
export interface Task extends Order {
  readonly attempts: AttemptResult[];
  /** A later POST of the same callback has meanwhile had it taken over. */
  isTakenOver: boolean;
  /** The running attempt. */
  attempt?: RunningAttempt | undefined;
  /** Its outcome, once its attempts have ended. */
  update?: DeliveryUpdate;
  /** Why `update` could not be written. */
  error?: unknown;
  /** Resolves when its outcome has been written, or could not be. */
  readonly ended: Promise<void>;
  readonly end: () => void;
}
