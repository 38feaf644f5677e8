/** What the ledger is told of configs, and what becomes of deliveries when they change. Times are milliseconds since 1970. */
import type { StatusCode } from '../callback/callback.ts';
import type { CallbackKind, DeliveryState, DeliveryTarget, DeliveryUpdate, Settled } from './ledger.ts';

/** The config that a process has loaded. channels: the type of each, by its name. */
export interface RunningConfig {
  readonly hash: string;
  readonly channels: ReadonlyMap<string, string>;
}

/** One of those that share the store. */
export interface LivingProcess {
  /** Its machine and its number there. */
  readonly name: string;
  readonly isThis: boolean;
  readonly configHash: string;
  readonly loadedAt: number;
  readonly seenAt: number;
}

/** A claimed delivery that the config no longer sends where it was to go. */
export interface Rerouting {
  readonly callbackId: number;
  /** How it ends: held, or dead. */
  readonly update: DeliveryUpdate;
  /** Whom the config names for its callback. */
  readonly targets: readonly DeliveryTarget[];
  readonly routing: unknown;
}

export interface Rerouted extends Settled {
  /** Destinations that the callback has gained, due at once. */
  readonly added: readonly string[];
}

/** A delivery that ended because no route named it. */
export interface UnroutedRow {
  readonly id: number;
  readonly destination: string;
  readonly callbackId: number;
  readonly kind: CallbackKind;
  /** Cleaned. */
  readonly botId: string;
  readonly status: StatusCode;
  readonly state: DeliveryState;
  readonly ageMs: number;
}
