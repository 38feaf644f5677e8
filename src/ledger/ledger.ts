/** What the ledger is told and tells: who is to be told of which callback, and who has been. Times are milliseconds since 1970. */
import type { Callback, CallbackError } from '../callback/callback.ts';
import type { FailureClass, FailureDetails } from '../channels/failure.ts';
import type { Receipt } from '../channels/channel.ts';
import type { AlertSubject, Notice } from '../notice/notice.ts';
import type { Burst, Expectation } from '../signal/rules.ts';
import type { AskedRoute, Telling } from '../signal/decide.ts';

/** What is told: a callback, or by Botbell itself, to its operators (`alert`) or of BOTs. */
export type CallbackKind = 'callback' | 'alert' | 'overdue' | 'missed' | 'summary' | 'digest';

export const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'held'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const CALLBACK_RESULTS = [
  'delivered',
  'duplicate',
  'no_route',
  'superseded',
  'held',
  'accepted',
  'taken_over',
  'gave_up',
  'failed',
  'timed_out',
  'unavailable',
] as const;
export type CallbackResult = (typeof CALLBACK_RESULTS)[number];

export type DeliveryError = Omit<FailureDetails, 'retryAfterMs'>;

export interface DeliveryTarget {
  readonly destination: string;
  readonly channel: string;
  readonly address: string;
}
/** Reason of an `executing` that is held, since its job's result is there: for good. */
export const SUPERSEDED = 'superseded';

/** Reason of a delivery that is held, or of a dead letter, that the config no longer sends there: until a route names it again. */
export const NO_LONGER_ROUTED = 'no longer routed';

/** Reason of a dead letter, or of what is no longer routed, that a person has done with: no route names it again. */
export const DISMISSED = 'dismissed';

export interface DeliveryRecord extends DeliveryTarget {
  readonly id: number;
  readonly callbackId: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly lastError: DeliveryError | undefined;
  readonly receipt: Receipt | undefined;
  /** Why it is held, or dead without having failed: one of those above, or a rule's name. */
  readonly reason: string | undefined;
  /** When that ends, and it is told; undefined: not by itself. */
  readonly heldUntil: number | undefined;
  /** The callback, a summary of Botbell's own, that tells it with others. */
  readonly summaryId: number | undefined;
  /** How it is told by more than its status. */
  readonly telling: Telling | undefined;
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
  /** Milliseconds until Botbell itself may attempt it, where it is pending; negative: since then it waits for its turn. */
  readonly dueInMs: number;
  readonly givenBackAt: number | undefined;
  /** When it was last written. */
  readonly updatedAt: number;
}

/** Whom a callback reaches, if their rules let it. */
export interface PlannedDelivery extends DeliveryTarget {
  /** The routes that may tell it; undefined: it is told. */
  readonly asked?: readonly AskedRoute[] | undefined;
  readonly burst?: Burst | undefined;
  /** It edits what was told of its job before, and so counts in no burst. */
  readonly isEdit?: boolean | undefined;
}

/** A target, and what its rules decided: `reason` holds it back, until `heldUntil` where that ends. */
export interface DecidedTarget extends DeliveryTarget {
  readonly reason?: string | undefined;
  readonly heldUntil?: number | undefined;
  readonly snoozeId?: number | undefined;
  readonly telling?: Telling | undefined;
}

/** What is looked at beside the deliveries themselves. */
export interface Watched {
  /** The display's. */
  readonly timezone: string;
  /** A rule asks what came of the BOT before. */
  readonly isRemembered: boolean;
  /** Of an error, as `likenessOf` has it. */
  readonly likeness: string;
  /** The BOT's expectations, by the keys of their timers. */
  readonly expected: readonly { readonly key: string; readonly rule: Expectation }[];
  /** After how many milliseconds without a result a run is told to be overdue. */
  readonly overdueMs: readonly number[];
}

export interface Arrival {
  readonly callback: Callback;
  /** SHA-256 of what identifies it (callback/callback.ts). */
  readonly identity: string;
  /** The JSON as it came, in UTF-8. */
  readonly body: Uint8Array;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly planned: readonly PlannedDelivery[];
  readonly watched: Watched;
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
  readonly kind: CallbackKind;
  readonly notice: Notice;
  readonly firstReceivedAt: number;
  /** It was the service's to retry until now. */
  readonly isTakenOver: boolean;
}
/** At most `limit` of a destination. */
export interface DueRequest {
  readonly destination: string;
  readonly limit: number;
  /** What was given back in bulk comes before what is new, not after it. */
  readonly isBulkFirst: boolean;
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
export interface DeliveryUpdate
  extends
    Pick<DeliveryRecord, 'id' | 'state' | 'attempts' | 'lastError' | 'receipt' | 'isTakenOver'>,
    Partial<Pick<DeliveryRecord, 'reason' | 'heldUntil'>> {
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
export type RefusedStatus = 400 | 413 | 415 | 422;
export interface RefusedBody {
  readonly receivedAt: number;
  readonly status: RefusedStatus;
  readonly detail: string;
  readonly errors: readonly CallbackError[];
  readonly from: string;
  readonly body: string;
}
export interface OpenCounts {
  readonly pending: number;
  readonly dead: number;
  readonly held: number;
  /** Bodies that nobody has marked as seen. */
  readonly refused: number;
}

/** The store could not be read or written, or did not answer in time. */
export class LedgerUnavailable extends Error {
  override readonly name: string = 'LedgerUnavailable';
}
/** Past store.max_size, and nothing done is left to forget. */
export class LedgerFull extends LedgerUnavailable {
  override readonly name = 'LedgerFull';
}
