/** Dependencies that the classes of this folder share. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { Clock } from '../time/clock.ts';
import type { Milestone } from './alerts.ts';
import type { Paces } from './pace.ts';
import type { RunningSettings, Settings } from './settings.ts';

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
  /** Outcomes could not be written. */
  readonly onUnwritten: (error: unknown) => void;
  readonly onUnforeseen: (error: unknown) => void;
}

/** What firing a timer goes by. */
export interface Firing extends Pick<Delivering, 'ledger'> {
  readonly settings: Settings;
  /** The store's time at the claim. */
  readonly now: number;
  /** No callback has matched the route for a long time. */
  readonly onIdleRoute: (name: string) => void;
}
