/**
 * The ledger's face: who is to be told of which callback, who has been, and everything a later reader asks about it. Times are
 * milliseconds since 1970.
 */
import type { Callback, StatusCode } from '../callback/callback.ts';
import type { FailureClass } from '../channels/failure.ts';
import type { Receipt } from '../channels/channel.ts';
import type { AlertSubject, Notice } from '../notice/notice.ts';

export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'held';
export type CallbackResult =
  | 'delivered'
  | 'duplicate'
  | 'no_route'
  | 'superseded'
  | 'held'
  | 'accepted'
  | 'taken_over'
  | 'gave_up'
  | 'failed'
  | 'timed_out'
  | 'unavailable';
export interface DeliveryError {
  readonly class: FailureClass;
  readonly code: string;
  readonly message: string;
  /** The same in Japanese. */
  readonly japanese?: string;
  readonly concerns?: 'address' | 'channel';
}
export interface DeliveryTarget {
  readonly destination: string;
  readonly channel: string;
  readonly address: string;
}
/** code: 'superseded' | 'no longer routed' | 'dismissed' | a rule's; details: JSON; endsAt: when Botbell makes it pending again. */
export interface Hold {
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly endsAt?: number;
}

export interface DeliveryRecord extends DeliveryTarget {
  readonly id: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly lastError: DeliveryError | undefined;
  readonly receipt: Receipt | undefined;
  readonly hold: Hold | undefined;
  /** Non-2xx answers given while it failed as `permanent` or `config`. */
  readonly refusals: number;
  /** Botbell retries it by itself. */
  readonly isTakenOver: boolean;
  /** Whose claim is on it: this call's own (so the caller attempts it), this process's from an earlier call, another process's. */
  readonly claim: 'own' | 'process' | 'elsewhere' | undefined;
  /** Id of the pending delivery of its job at its destination that must end first. */
  readonly behind: number | undefined;
  /** Milliseconds that count towards give_up_after: without those in which it only waited. */
  readonly ageMs: number;
  readonly givenBackAt: number | undefined;
}

export interface Arrival {
  readonly callback: Callback;
  /** SHA-256 of what identifies it (callback/callback.ts). */
  readonly identity: string;
  /** The JSON as it came, in UTF-8. */
  readonly body: Uint8Array;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly planned: readonly DeliveryTarget[];
  readonly routing: unknown;
  /** Answered before anybody is told: flushed, claimed by nobody, Botbell's own and due at once. */
  readonly isAccepted: boolean;
}
export interface Admission {
  readonly callbackId: number;
  readonly isNew: boolean;
  readonly timesReceived: number;
  readonly firstReceivedAt: number;
  /** An `executing` that came after its job's result. */
  readonly isSuperseded: boolean;
  readonly deliveries: readonly DeliveryRecord[];
}

/** Claimed by claimDue for this process to attempt. */
export interface DueDelivery {
  readonly record: DeliveryRecord;
  readonly callbackId: number;
  readonly notice: Notice;
  readonly firstReceivedAt: number;
  /** It was the service's to retry until now. */
  readonly isTakenOver: boolean;
}
/** At most `limit` of a destination, `bulkTurns` of them first for what was given back in bulk. */
export interface DueRequest {
  readonly destination: string;
  readonly limit: number;
  readonly bulkTurns: number;
}
export interface DueDestination {
  readonly destination: string;
  readonly hasBulk: boolean;
}

export interface Alert {
  readonly cause: string;
  readonly subject: AlertSubject;
  readonly targets: readonly DeliveryTarget[];
}
export interface AttemptRecord {
  readonly deliveryId: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: 'delivered' | FailureClass;
  readonly error: DeliveryError | undefined;
}
/** How a delivery stands after its attempts; its claim ends with it. */
export interface DeliveryUpdate {
  readonly id: number;
  readonly state: DeliveryState;
  /** All so far. */
  readonly attempts: number;
  readonly lastError: DeliveryError | undefined;
  readonly receipt: Receipt | undefined;
  readonly hold?: Hold | undefined;
  readonly isTakenOver: boolean;
  /** Until Botbell itself may attempt it; left out: due as it was. */
  readonly dueInMs?: number | undefined;
  readonly alert?: Alert | undefined;
}
export interface AnswerRecord {
  readonly receivedAt: number;
  readonly answeredAt: number;
  readonly status: number;
  readonly result: CallbackResult;
}
export interface Settlement {
  readonly callbackId: number;
  readonly attempts: readonly AttemptRecord[];
  readonly deliveries: readonly DeliveryUpdate[];
  readonly answer?: AnswerRecord | undefined;
  /** Ids of deliveries that failed lastingly while a non-2xx was answered: `refusals` + 1. */
  readonly refused?: readonly number[];
  /** FULL before BEGIN. */
  readonly isDurable: boolean;
}
/** Destinations for which something of Botbell's own is due now because of it: the next of a job, an alert. */
export interface Settled {
  readonly due: readonly string[];
}

export type RefusedStatus = 400 | 413 | 415 | 422;
export interface RefusedBody {
  readonly receivedAt: number;
  readonly status: RefusedStatus;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  readonly from: string;
  readonly body: string;
}
export interface OpenCounts {
  readonly pending: number;
  readonly dead: number;
  readonly held: number;
}

/** The store could not be read or written, or did not answer in time. */
export class LedgerUnavailable extends Error {
  override readonly name: string = 'LedgerUnavailable';
}
/** Past store.max_size, and nothing done is left to forget. */
export class LedgerFull extends LedgerUnavailable {
  override readonly name = 'LedgerFull';
}

/** Each settles within `withinMs` (default 5 s), whatever the store does; a call past its deadline is not begun. */
export interface Ledger {
  admit(arrival: Arrival, withinMs?: number): Promise<Admission>;
  /** What was told is kept in memory where this throws, and written before anything else is admitted or claimed. */
  settle(settlement: Settlement, withinMs?: number): Promise<Settled>;
  /** Pending ones are Botbell's own from now on, also where somebody is attempting them at this moment. */
  takeOver(ids: readonly number[], withinMs?: number): Promise<void>;
  dueDestinations(): Promise<readonly DueDestination[]>;
  /** Oldest first per destination, bulk last but for bulkTurns; none that is behind an earlier one of its job; at most about 1 MB of bodies (at least one). */
  claimDue(requests: readonly DueRequest[]): Promise<readonly DueDelivery[]>;
  /** Deliveries whose hold has ended become pending, at most 100. @returns how many */
  releaseHeld(): Promise<number>;
  refuse(refused: RefusedBody, alert: Alert, withinMs?: number): Promise<void>;
  countOpen(): Promise<OpenCounts>;
  /** Monotonic ms (clock.monotonic()) of the last committed write, heartbeat included; undefined: none yet. For /readyz. */
  readonly writtenAt: number | undefined;
  /** SQLite: pages in use and log. */
  bytesUsed(): Promise<number>;
  readonly paces: PaceStore;
  readonly configs: ConfigStore;
  /** One step of retention: at most 100 rows; also bot_days that are a minute behind. @returns whether there is more */
  forget(request: ForgetRequest): Promise<boolean>;
  /** Last success, failure, durations per destination, written every few seconds. */
  recordDestinations(figures: readonly DestinationFigures[]): Promise<void>;
  /** Default: 700 ms. */
  close(withinMs?: number): Promise<void>;
}

export interface ForgetRequest {
  readonly doneBefore: number;
  readonly reachedNobodyBefore: number;
  /** From the oldest on, not from where the last step came to: what was undelivered then may be done by now. */
  readonly isAnew?: boolean | undefined;
}

/** What a process has seen of a destination since it last wrote; 0: never. */
export interface DestinationFigures {
  readonly destination: string;
  readonly lastDeliveredAt: number;
  readonly lastFailedAt: number;
  /** Of the last failure. */
  readonly lastError: DeliveryError | undefined;
  /** How long the last sends took; undefined: too few to say. */
  readonly medianMs: number | undefined;
  /** Of twenty, nineteen took less. */
  readonly slowMs: number | undefined;
}

export interface PaceStore {
  /** Several processes send. */
  readonly isShared: boolean;
  /** Takes the destination's (or channel's) next slot. @returns ms until it; undefined, nothing taken: later than mostMs */
  reserve(key: string, intervalMs: number, mostMs: number): Promise<number | undefined>;
  pause(key: string, ms: number): Promise<void>;
  forget(channel: string): Promise<void>;
  /** Forgets those idle for idleMs. @returns the others; nextInMs: until the next slot, negative: that long ago */
  current(idleMs: number): Promise<readonly { readonly key: string; readonly nextInMs: number }[]>;
}

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
  readonly kind: 'callback' | 'alert';
  /** Cleaned. */
  readonly botId: string;
  readonly status: StatusCode;
  readonly state: DeliveryState;
  readonly ageMs: number;
}

export interface ConfigStore {
  /** Writes this process's row (and measures PostgreSQL's clock). @returns whether it may route anew */
  heartbeat(config: RunningConfig): Promise<boolean>;
  processes(): Promise<readonly LivingProcess[]>;
  leave(): Promise<void>;
  /** Ends a claimed delivery that is no longer routed; its callback gains today's destinations that it lacks (see CONTRACT section 6). undefined: may not. */
  routeAnew(rerouting: Rerouting): Promise<Rerouted | undefined>;
  /** After a config was loaded: what Botbell itself has put off (backoff) is due now, at most 100 rows a call. @returns whether there is more */
  hasten(): Promise<boolean>;
  /** The next 100 of what ended because no route named it. */
  unroutedAfter(id: number): Promise<readonly UnroutedRow[]>;
  /** Makes those Botbell's own again, due at once. @returns ids */
  revive(routed: readonly { readonly id: number; readonly routing: unknown }[]): Promise<readonly number[]>;
}
