/** What all that delivers shares. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Milestone } from './alerts.ts';
import type { Paces } from './pace.ts';
import type { RunningSettings } from './settings.ts';

/** Its process, and whom it tells of what it does. */
export interface Delivering {
  readonly clock: Clock;
  readonly ledger: DatabaseLedger;
  readonly settings: Pick<RunningSettings, 'current'>;
  readonly paces: Paces;
  /** In [0, 1). */
  readonly random: () => number;
  /** Something may be due. */
  readonly onDue: () => void;
  readonly onMilestone: (milestone: Milestone) => void;
  /** A rule holds back, or lets go, what has just come. */
  readonly onHeld: (rule: string) => void;
  /** What became of deliveries could not be written down. */
  readonly onUnwritten: (error: unknown) => void;
  readonly onUnforeseen: (error: unknown) => void;
}
