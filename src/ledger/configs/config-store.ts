/** What the ledger knows of the configs that run on it, and what it does where one of them has changed. */
import type { StatusCode } from '../../callback/callback.ts';
import type { FailureClass } from '../../channels/failure.ts';
import type { Actions } from '../actions/actions.ts';
import type { DestinationStore } from '../destination-rows.ts';
import type { Archive } from '../archive/archive.ts';
import type { CallbackKind, DeliveryState, DeliveryTarget, DeliveryUpdate, Ledger } from '../ledger.ts';

/** The config that a process has loaded. */
export interface RunningConfig {
  /** The same for processes that run with the same. */
  readonly hash: string;
  /** The type of each channel, by its name. */
  readonly channels: ReadonlyMap<string, string>;
}

/** A claimed delivery that the config no longer sends where it was to go. */
export interface Rerouting {
  readonly callbackId: number;
  /** How it ends: held back, or a dead letter. */
  readonly update: DeliveryUpdate;
  /** Whom the config names for its callback. */
  readonly targets: readonly DeliveryTarget[];
  /** Why each route matches or not. */
  readonly routing: unknown;
}

export interface Rerouted {
  /** Destinations that the callback has gained, due at once. */
  readonly added: readonly string[];
  /** What waited for it within its job is due now. */
  readonly hasReleased: boolean;
}

/** A delivery with what routing looks at; the name of the BOT is cleaned. */
export interface RoutedRow {
  readonly id: number;
  readonly destination: string;
  readonly callbackId: number;
  readonly kind: CallbackKind;
  readonly botId: string;
  readonly status: StatusCode;
}

export interface PendingRow extends RoutedRow {
  readonly lastErrorClass: FailureClass | undefined;
  /** It was given back in bulk. */
  readonly isBulk: boolean;
  /** Botbell's own, in nobody's hands, and due later. */
  readonly isPutOff: boolean;
}

/** Ended because no route named it. */
export interface UnroutedRow extends RoutedRow {
  readonly state: DeliveryState;
  /** Milliseconds that count towards being given up. */
  readonly ageMs: number;
}

/** A delivery that the config names again. */
export interface RoutedAgain extends Pick<RoutedRow, 'id'> {
  /** Why each route of its callback matches or not. */
  readonly routing: unknown;
}

export type PlaceAmongPending = Pick<PendingRow, 'destination' | 'isBulk' | 'callbackId'>;

/** One of those that share the store. Times are the store's, in milliseconds since the epoch. */
export interface LivingProcess {
  /** Its machine and its number there. */
  readonly name: string;
  readonly isThis: boolean;
  readonly configHash: string;
  readonly loadedAt: number;
  readonly seenAt: number;
}

/** What depends on which configs the living processes run with; each of these is asked for within five seconds. */
export interface ConfigStore {
  /**
   * Says that this process lives, and with which config.
   * @returns whether it may route anew: all that live run with the same, or have not for 15 minutes and its own was loaded
   * last; by the store's clock
   * @throws {LedgerUnavailable}
   */
  heartbeat(config: RunningConfig): Promise<boolean>;
  /** Those whose heartbeats have not stopped. @throws {LedgerUnavailable} */
  processes(): Promise<readonly LivingProcess[]>;
  /** This process does not count any more. @throws {LedgerUnavailable} */
  leave(): Promise<void>;
  /**
   * Ends the delivery and adds those of today's destinations that its callback lacks; an address that was told under the
   * name of a channel that is gone is not lacking where a channel of that type has it today.
   * @returns undefined, and nothing done, where this process may not
   * @throws {LedgerUnavailable}
   */
  routeAnew(rerouting: Rerouting): Promise<Rerouted | undefined>;
  /** The next `limit` of all that is pending, in the order of their places. @throws {LedgerUnavailable} */
  pendingAfter(place: PlaceAmongPending, limit: number): Promise<readonly PendingRow[]>;
  /** Makes those of them due that are put off. @throws {LedgerUnavailable} */
  hasten(ids: readonly number[]): Promise<void>;
  /** The next `limit` of all that ended because no route named them. @throws {LedgerUnavailable} */
  unroutedAfter(id: number, limit: number): Promise<readonly UnroutedRow[]>;
  /**
   * Makes those of them Botbell's own to attempt, at once, that ended because no route named them and that nobody was told
   * of under another channel's name; their age begins anew. How they had ended is kept with the routing that names them.
   * @returns their ids; none where this process may not
   * @throws {LedgerUnavailable}
   */
  revive(routed: readonly RoutedAgain[]): Promise<readonly number[]>;
}

/** A ledger as it is opened: with what it knows of the configs that run on it. */
export interface OpenLedger extends Ledger {
  readonly configs: ConfigStore;
  readonly archive: Archive;
  readonly actions: Actions;
  readonly destinations: DestinationStore;
  /** What the store takes: of a SQLite file the pages in use, and its log. @throws {LedgerUnavailable} */
  bytesUsed(): Promise<number>;
  /** Whether new callbacks are taken; done ones are forgotten for that where need be. @throws {LedgerUnavailable} */
  hasRoom(): Promise<boolean>;
}
