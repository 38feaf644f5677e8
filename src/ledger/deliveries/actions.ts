/** The types of people's actions: deliver again, route anew, dismiss. Each action is written into the story. */
import type { CallbackFilter } from '../archive/archive.ts';
import type { DeliveryTarget } from '../ledger.ts';
import type { Actor } from '../callbacks/history.ts';

/** `delivered`: it was, and `again` was not set; `superseded`: it never can be; `open`: a rule holds it for now. */
export type RedeliverResult = 'accepted' | 'delivered' | 'superseded' | 'let go' | 'open' | 'unknown';

export type DismissResult = 'dismissed' | 'not dead' | 'unknown';

export interface PlanByHand {
  readonly targets: readonly DeliveryTarget[];
  readonly routing: unknown;
  /** The type of each channel, by its name: an address told under a channel's former name is not told again. */
  readonly channels: ReadonlyMap<string, string>;
}

export interface RoutedByHand {
  /** Destinations that are new, or whose delivery is attempted again. */
  readonly told: readonly string[];
  /** Destinations for which nothing changes: they have it already, or get it anyway. */
  readonly untouched: readonly string[];
}

/**
 * Selects deliveries that are dead, or held as no longer routed; `state` limits it to one of them. Nothing else is redelivered in
 * bulk. Notices of Botbell's own match unless a filter for BOT, job, status or result is set.
 */
export type RedeliveryFilter = Omit<CallbackFilter, 'search' | 'notTold'>;

export interface RedeliveryTally {
  readonly messages: number;
  readonly destinations: readonly { readonly destination: string; readonly messages: number }[];
  /** When the oldest and the newest matching callback came; milliseconds since 1970; undefined: none matches. */
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
}

export type BulkKind = 'redelivered' | 'dismissed';

/** A redelivery or dismissal of all that a filter matched when it began; it goes on after restarts. */
export interface BulkRedelivery {
  readonly id: number;
  readonly what: BulkKind;
  readonly filter: RedeliveryFilter;
  readonly actor: Actor;
  /** `running`: deliveries remain to be given back; `delivering`: all were, and some are pending. */
  readonly state: 'running' | 'delivering' | 'done' | 'stopped';
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly stoppedBy: Actor | undefined;
  /** Given back or dismissed so far. `delivered`, `dead` and `pending` count the present states of those given back by this bulk last. */
  readonly given: number;
  readonly delivered: number;
  readonly dead: number;
  readonly pending: number;
}

export interface BulkStep {
  readonly isMore: boolean;
  readonly given: number;
  /** The bulk that this step completed. */
  readonly ended: Pick<BulkRedelivery, 'id' | 'what' | 'given'> | undefined;
}
