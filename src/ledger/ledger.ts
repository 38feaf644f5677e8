/** The ledger's face: who is to be told of which callback, who has been, and everything a later reader asks about it. */
import type { Callback } from '../callback/callback.ts';
import type { FailureClass } from '../channels/failure.ts';
import type { Receipt } from '../channels/channel.ts';

export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'held';

/** Why a delivery is held back that the config no longer sends there. */
export const NO_LONGER_ROUTED = 'no longer routed';

/** What the answer to a POST said; the word stands in the answer, the log, the metric and the ledger alike. */
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
}

/**
 * Whom a delivery reaches. How it looks there (template set, mentions) is the config's to say at each attempt,
 * so that mending the config mends what is still pending.
 */
export interface DeliveryTarget {
  /** `<channel>:<address>` */
  readonly destination: string;
  readonly channel: string;
  readonly address: string;
}

/** One destination of one callback, as it stands. Times are milliseconds since the epoch. */
export interface DeliveryRecord extends DeliveryTarget {
  readonly id: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly lastError: DeliveryError | undefined;
  readonly receipt: Receipt | undefined;
  /** Why it is held back. */
  readonly heldBecause: string | undefined;
  /** Non-2xx answers given while it failed as `permanent` or `config`. */
  readonly refusals: number;
  /** Somebody is sending it at this moment, as far as is known. */
  readonly isClaimed: boolean;
  /** Botbell retries it by itself: the service has given up, or need not retry. */
  readonly isOurs: boolean;
}

/** One POST of a checked callback. */
export interface Arrival {
  readonly callback: Callback;
  /** The JSON that the callback was read from, in UTF-8. */
  readonly body: Uint8Array;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly planned: readonly DeliveryTarget[];
  /** Why each route matched or not, for whoever asks later. */
  readonly routing: unknown;
  /** Answered before anybody is told: flushed to disk, claimed by nobody, due at once. */
  readonly isAccepted: boolean;
}

/** What the ledger says to an arrival: who is still to be told, and by whom. */
export interface Admission {
  readonly callbackId: number;
  readonly isNew: boolean;
  /** 1 for the first POST of this callback. */
  readonly timesReceived: number;
  readonly firstReceivedAt: number;
  /** An `executing` that came after its job's result. */
  readonly isSuperseded: boolean;
  readonly deliveries: readonly DeliveryRecord[];
  /** Ids of the pending deliveries that are now this process's to send, and nobody else's, until the lease ends. */
  readonly claimed: readonly number[];
  /** Those of the claimed ones that must wait, because an earlier callback of the job is still on its way there. */
  readonly blocked: readonly number[];
}

/** A delivery that nobody else makes: Botbell's own to attempt, and claimed for that. */
export interface DueDelivery {
  readonly record: DeliveryRecord;
  readonly kind: CallbackKind;
  readonly callbackId: number;
  readonly callback: Callback;
  readonly timesReceived: number;
  readonly firstReceivedAt: number;
}

/** `alert`: a message of Botbell's own to its operators. */
export type CallbackKind = 'callback' | 'alert';

/** What Botbell itself has to say to its operators. */
export interface Alert {
  /** One cause is told once: what bears the same identity was told before. */
  readonly identity: string;
  readonly callback: Callback;
  readonly raisedAt: number;
  readonly targets: readonly DeliveryTarget[];
}

export interface AttemptRecord {
  readonly deliveryId: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: 'delivered' | FailureClass;
  readonly error: DeliveryError | undefined;
}

/** How a delivery stands after the attempts of this round; its claim ends with it. */
export interface DeliveryUpdate {
  readonly id: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly refusals: number;
  readonly lastError: DeliveryError | undefined;
  readonly receipt: Receipt | undefined;
  readonly heldBecause?: string;
  readonly isOurs: boolean;
  /** Milliseconds until Botbell itself may attempt it; of no meaning unless it is pending. */
  readonly dueInMs: number;
}

export interface AnswerRecord {
  readonly receivedAt: number;
  readonly answeredAt: number;
  /** HTTP status code. */
  readonly status: number;
  readonly result: CallbackResult;
}

/** What was done about a callback, for whoever asks later. */
export interface HistoryRecord {
  readonly callbackId: number;
  readonly attempts: readonly AttemptRecord[];
  /** Undefined: nobody was answered by it. */
  readonly answer: AnswerRecord | undefined;
}

/** What is to be written down at one moment: all of it, or none. */
export interface Settlement {
  readonly deliveries: readonly DeliveryUpdate[];
  /** Undefined: nothing was done. */
  readonly history: HistoryRecord | undefined;
  /** Flush to disk before returning: what is answered while undelivered must survive a power cut. */
  readonly isDurable: boolean;
}

/** A body that no retry can make acceptable, kept for the operator. */
export interface RefusedBody {
  readonly receivedAt: number;
  readonly status: 400 | 422;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  readonly from: string;
  /** The bytes as UTF-8 text; the ledger keeps the first 64 KiB. */
  readonly body: string;
}

export interface PruneStep {
  /** How many callbacks went. */
  readonly forgotten: number;
  /** The id of the last one that was looked at. */
  readonly lookedAt: number;
  /** What comes after that is too young. */
  readonly isThrough: boolean;
}

export interface OpenCounts {
  readonly pending: number;
  readonly dead: number;
}

/** The store could not be read or written: nothing of what was asked has happened. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}

export interface Ledger {
  /**
   * Writes the callback and its destinations down before anyone is told, and claims what is pending.
   * @throws {LedgerUnavailable}
   */
  admit(arrival: Arrival): Promise<Admission>;
  /**
   * Even when it throws, that somebody was told is kept, and written before anything else is admitted or claimed.
   * @throws {LedgerUnavailable}
   */
  settle(settlement: Settlement): Promise<void>;
  /** Whether an earlier callback of the job is still on its way to the same destination. @throws {LedgerUnavailable} */
  isBlocked(deliveryId: number): Promise<boolean>;
  /**
   * Claims what is due for Botbell itself to attempt, oldest first.
   * @param limit the most that the caller can send now
   * @param pausedChannels channels that asked to be left alone
   * @throws {LedgerUnavailable}
   */
  claimDue(limit: number, pausedChannels: readonly string[]): Promise<readonly DueDelivery[]>;
  /** Has an alert delivered, unless its like was before. @throws {LedgerUnavailable} */
  raise(alert: Alert): Promise<void>;
  /**
   * Forgets some of the callbacks that came before `before` (milliseconds since the epoch) and of which nothing is
   * undelivered.
   * @param after the id up to which has been looked already, 0 to begin with
   * @throws {LedgerUnavailable}
   */
  prune(before: number, after: number): Promise<PruneStep>;
  /** The deliveries of a callback, as they stand. @throws {LedgerUnavailable} */
  deliveriesOf(callbackId: number): Promise<readonly DeliveryRecord[]>;
  /** @throws {LedgerUnavailable} */
  refuse(refused: RefusedBody): Promise<void>;
  /** @throws {LedgerUnavailable} */
  countOpen(): Promise<OpenCounts>;
  /** Proves that the store can be written. @throws {LedgerUnavailable} */
  probe(): Promise<void>;
  close(): Promise<void>;
}
