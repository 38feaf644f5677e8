/** What people do about deliveries while Botbell runs: deliver again, route anew, dismiss. Each is written into the story. */
import type { CallbackFilter } from '../archive/archive.ts';
import type { DeliveryTarget } from '../ledger.ts';
import type { Actor } from './action.ts';

export interface ActionRequest {
  readonly actor: Actor;
  /** Deduplication key: of requests with the same one, the first is done, the others change nothing. */
  readonly nonce?: string | undefined;
  /** Why, in the actor's words. */
  readonly note?: string | undefined;
}

/** `delivered`: not without `again`; `superseded`: never; `open`: it is pending already. */
export type RedeliverResult = 'accepted' | 'delivered' | 'superseded' | 'open' | 'unknown';

export type DismissResult = 'dismissed' | 'not dead' | 'unknown';

/** What a callback's routing anew comes to. */
export interface RoutedByHand {
  /** Destinations that it has gained, or that get it after all. */
  readonly told: readonly string[];
  /** Which have it already, or will have it anyway. */
  readonly untouched: readonly string[];
}

/** `dead`: also what is held as no longer routed. */
export type RedeliveryFilter = CallbackFilter;

/** What a redelivery of all that matches would come to. */
export interface RedeliveryTally {
  readonly messages: number;
  /** More match than were counted. */
  readonly isMore: boolean;
  readonly destinations: readonly { readonly destination: string; readonly messages: number }[];
  /** When the oldest and the newest callback came; milliseconds since the epoch; undefined: none matches. */
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
}

/** A redelivery of all that a filter matched when it began; it outlives restarts. */
export interface BulkRedelivery {
  readonly id: number;
  readonly filter: RedeliveryFilter;
  readonly actor: Actor;
  readonly state: 'running' | 'done' | 'stopped';
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Given back to the worker up to now; of these, what has been delivered, is dead again, and is still pending. */
  readonly given: number;
  readonly delivered: number;
  readonly dead: number;
  readonly pending: number;
}

export interface Actions {
  /** @param again also what was delivered @throws {LedgerUnavailable} */
  redeliver(deliveryId: number, request: ActionRequest, again: boolean): Promise<RedeliverResult>;
  /** A dead letter, or what is held as no longer routed, counts as done. @throws {LedgerUnavailable} */
  dismiss(deliveryId: number, request: ActionRequest): Promise<DismissResult>;
  /**
   * The callback gains the targets that it lacks; what of them is dead or held as no longer routed is attempted again.
   * @param targets by today's config
   * @returns undefined: there is no such callback
   * @throws {LedgerUnavailable}
   */
  routeAnew(
    callbackId: number,
    plan: { readonly targets: readonly DeliveryTarget[]; readonly routing: unknown },
    request: ActionRequest,
  ): Promise<RoutedByHand | undefined>;
  /** Counts, and changes nothing; looks no longer than half a second. @throws {LedgerUnavailable} */
  tally(filter: RedeliveryFilter): Promise<RedeliveryTally>;
  /** @returns the one with the same nonce, where there is one @throws {LedgerUnavailable} */
  startBulk(filter: RedeliveryFilter, request: ActionRequest): Promise<BulkRedelivery>;
  /** The newest first, at most a hundred. @throws {LedgerUnavailable} */
  bulks(): Promise<readonly BulkRedelivery[]>;
  bulk(id: number): Promise<BulkRedelivery | undefined>;
  /** What has been given back already is delivered all the same. @throws {LedgerUnavailable} */
  stopBulk(id: number, request: ActionRequest): Promise<BulkRedelivery | undefined>;
}
