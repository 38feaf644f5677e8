/** What people do about deliveries while Botbell runs: deliver again, route anew, dismiss. Each is written into the story. */
import type { CallbackFilter } from '../archive/archive.ts';
import type { DeliveryTarget } from '../ledger.ts';
import type { Actor } from '../history.ts';

/** `delivered`: not without `again`; `superseded`: never; `open`: a rule holds it for now. */
export type RedeliverResult = 'accepted' | 'delivered' | 'superseded' | 'open' | 'unknown';

export type DismissResult = 'dismissed' | 'not dead' | 'unknown';

/** What today's config says of a callback. */
export interface PlanByHand {
  readonly targets: readonly DeliveryTarget[];
  /** Why each route matched or not. */
  readonly routing: unknown;
  /** The type of each channel, by its name: who was told under a name that is gone is not told again. */
  readonly channels: ReadonlyMap<string, string>;
}

/** What a callback's routing anew comes to. */
export interface RoutedByHand {
  /** Destinations that it has gained, or that get it after all. */
  readonly told: readonly string[];
  /** Which have it already, or will have it anyway. */
  readonly untouched: readonly string[];
}

/**
 * Of what is dead or held as no longer routed; `state` says which, default: both. Nothing else is ever redelivered in
 * bulk, and of alerts only what names nothing of a callback but when it came.
 */
export interface RedeliveryFilter extends Omit<CallbackFilter, 'search'> {
  /** Of the last error; '' for none. */
  readonly errorClass?: string | undefined;
  readonly errorCode?: string | undefined;
}

/** What a redelivery of all that matches would come to. */
export interface RedeliveryTally {
  readonly messages: number;
  readonly destinations: readonly { readonly destination: string; readonly messages: number }[];
  /** When the oldest and the newest callback came; milliseconds since 1970; undefined: none matches. */
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
}

export type BulkKind = 'redelivered' | 'dismissed';

/** A redelivery, or a dismissal, of all that a filter matched when it began; it outlives restarts. */
export interface BulkRedelivery {
  readonly id: number;
  readonly what: BulkKind;
  readonly filter: RedeliveryFilter;
  readonly actor: Actor;
  /** `running`: more is to be given back; `delivering`: some of what was given back waits. */
  readonly state: 'running' | 'delivering' | 'done' | 'stopped';
  readonly startedAt: number;
  /** Since then nothing more is given back. */
  readonly endedAt: number | undefined;
  /** Who stopped it. */
  readonly stoppedBy: Actor | undefined;
  /**
   * Given back to be delivered, or dismissed, up to now. Of what was given back: what has been delivered, is dead again, and
   * is still pending; none of these is what was forgotten, held, or given back once more since.
   */
  readonly given: number;
  readonly delivered: number;
  readonly dead: number;
  readonly pending: number;
}

export interface BulkStep {
  /** There may be more to do at once. */
  readonly isMore: boolean;
  /** Given back, or dismissed, by this step. */
  readonly given: number;
  /** The one that this step has brought to its end. */
  readonly ended: Pick<BulkRedelivery, 'id' | 'what' | 'given'> | undefined;
}
