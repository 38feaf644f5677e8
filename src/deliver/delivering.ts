/** What the classes of this folder share: their dependencies, and a delivery in the hands of this process. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { DeliveryUpdate, DueDelivery } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Milestone } from './alerts.ts';
import type { Attempt, AttemptResult, Begun } from './attempt.ts';
import type { Paces } from './pace.ts';
import type { RunningSettings, Settings } from './settings.ts';
import type { PlannedTarget } from '../route/router.ts';

/** A notice of Botbell's own, at one destination. */
export interface HeldNotice {
  readonly kind: string;
  readonly botId: string;
  readonly destination: string;
}

export interface Delivering {
  readonly clock: Clock;
  readonly ledger: DatabaseLedger;
  readonly settings: Pick<RunningSettings, 'current'>;
  readonly paces: Paces;
  /** In [0, 1). */
  readonly random: () => number;
  /** Deliveries may be due: the loop should look soon. */
  readonly onDue: () => void;
  readonly onMilestone: (milestone: Milestone) => void;
  /** A rule holds a new delivery, or lets it go. */
  readonly onHeld: (rule: string, own?: HeldNotice) => void;
  readonly onUnwritten: (error: unknown) => void;
  readonly onUnforeseen: (error: unknown) => void;
}

/** A claimed delivery, the settings to deliver it by, and its deadline. */
export interface Order extends Pick<DueDelivery, 'record' | 'notice' | 'firstReceivedAt'> {
  /** The store's time at the claim. */
  readonly asOf: number;
  /** Undefined: the settings no longer route it there, or too many POSTs wait already. It is not attempted then. */
  readonly planned: PlannedTarget | undefined;
  readonly settings: Settings;
  /** By the monotonic clock. No attempt begins later; a running attempt may end later. */
  readonly until: number;
  readonly composed?: Begun['composed'];
  /** Called when its attempts have ended. @returns whether the POST writes the outcome. Left out: no POST waits for it. */
  readonly onEnded?: (task: Task) => boolean;
}

/** One delivery in hand in this process, from its claim until its outcome is written. */
export interface Task extends Order {
  readonly attempts: AttemptResult[];
  /** A later POST of the same callback has meanwhile had it taken over. */
  isTakenOver: boolean;
  attempt?: Attempt | undefined;
  /** Its outcome, once its attempts have ended. */
  update?: DeliveryUpdate;
  /** Why `update` could not be written. */
  error?: unknown;
  /** Resolves when its outcome has been written, or could not be. */
  readonly ended: Promise<void>;
  readonly end: () => void;
}
