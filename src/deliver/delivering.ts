/** What the classes of this folder share. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { Random } from '../text/random.ts';
import type { Clock } from '../time/clock.ts';
import type { Milestone } from './alerts.ts';
import type { AttemptDependencies } from './attempt.ts';
import type { Paces } from './pace.ts';
import type { RunningSettings } from './settings.ts';

/** A notice of Botbell's own, at one destination. */
export interface HeldNotice {
  readonly kind: string;
  readonly botId: string;
  readonly destination: string;
}

export interface Delivering extends AttemptDependencies {
  readonly clock: Clock;
  readonly ledger: DatabaseLedger;
  readonly settings: Pick<RunningSettings, 'current'>;
  readonly paces: Paces;
  readonly random: Random;
  /** Deliveries may be due: the loop should look soon. */
  readonly onDue: () => void;
  readonly onMilestone: (milestone: Milestone) => void;
  readonly onHeld: (rule: string, own?: HeldNotice) => void;
  readonly onUnwritten: (error: unknown) => void;
  readonly onUnforeseen: (error: unknown) => void;
}
