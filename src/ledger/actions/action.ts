/** One action, as the ledger keeps it and the story tells it. */
import type { Hold } from '../hold.ts';
import type { DeliveryError } from '../ledger.ts';

/** Who asked for it, for whoever reads the story later. */
export interface Actor {
  readonly via: 'page' | 'api' | 'command line';
  /** The Basic user, or whom a trusted proxy's header names; on the command line, the system's user. Undefined: not known. */
  readonly user: string | undefined;
  /** Address of the client; of the command line, the host's name. */
  readonly from: string;
}

/** How a delivery had ended before something was done about it. */
export interface EndedBefore {
  readonly deliveryId: number;
  readonly state: 'dead' | 'held';
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly hold: Pick<Hold, 'code'> | undefined;
  readonly lastError: DeliveryError | undefined;
}

/** One action, as the story tells it. */
export interface ActionRecord {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly what: 'redelivered' | 'dismissed' | 'routed anew' | 'withdrawn';
  /** Of these deliveries. */
  readonly deliveryIds: readonly number[];
  readonly actor: Actor;
  readonly note: string | undefined;
  /** The bulk redelivery that it is part of. */
  readonly bulkId: number | undefined;
  readonly endedBefore: readonly EndedBefore[];
}
