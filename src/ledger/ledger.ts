/** The ledger's face: who is to be told of which callback, who has been, and everything a later reader asks about it. */
import type { Callback } from '../callback/callback.ts';
import type { FailureClass } from '../channels/failure.ts';
import type { Receipt } from '../channels/channel.ts';
import type { Language } from '../time/display.ts';
import type { AlertSubject, Notice } from '../notice/notice.ts';
import type { DueDestination, DueRequest } from './due/due-request.ts';
import type { PaceStore, Turns } from './due/turns.ts';
import type { Pruning } from './retention/retention.ts';
import type { Hold } from './hold.ts';

export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'held';

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
  /** The remote's own words; kept in alerts alone. */
  readonly quote?: string;
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
  /** Of one that is held back, or is a dead letter since no route names it. */
  readonly hold: Hold | undefined;
  /** Non-2xx answers given while it failed as `permanent` or `config`. */
  readonly failedAnswers: number;
  /** Somebody is sending it at this moment, as far as is known. */
  readonly isClaimed: boolean;
  /** Botbell retries it by itself: the service has given up, or need not retry. */
  readonly isTakenOver: boolean;
  /** Milliseconds that count towards being given up, as it was read: without those in which it only waited for its turn. */
  readonly ageMs: number;
  /** When a person had it attempted again, or routed its callback here; undefined or left out: nobody did. */
  readonly givenBackAt?: number | undefined;
  /** Its receipt is for later messages of its job; left out: it is not. */
  readonly isFollowed?: boolean | undefined;
}

/** A delivery that an earlier one of its job and destination must precede. */
export interface BlockedDelivery {
  readonly id: number;
  /** The one right before it. */
  readonly behind: number;
  /** Whether some process has that one in hand. */
  readonly isBehindClaimed: boolean;
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
  /** Raised with it. */
  readonly alerts?: readonly Alert[];
}

/** What the ledger says to an arrival: who is still to be told, and by whom. */
export interface Admission {
  readonly callbackId: number;
  readonly isNew: boolean;
  /** 1 for the first POST of this callback. */
  readonly timesReceived: number;
  /** Milliseconds since the epoch, for people: a delivery's age goes by the store's time. */
  readonly firstReceivedAt: number;
  /** An `executing` that came after its job's result. */
  readonly isSuperseded: boolean;
  readonly deliveries: readonly DeliveryRecord[];
  /** Ids of the pending deliveries that are now this process's to send, and nobody else's, until the lease ends. */
  readonly claimed: readonly number[];
  /** Those of the claimed ones that must wait, because an earlier callback of the job is still on its way there. */
  readonly blocked: readonly BlockedDelivery[];
}

/** A delivery that nobody else makes: Botbell's own to attempt, and claimed for that. */
export interface DueDelivery {
  readonly record: DeliveryRecord;
  readonly callbackId: number;
  readonly notice: Notice;
  readonly firstReceivedAt: number;
  /** It was the service's to retry until now. */
  readonly isTakenOver: boolean;
}

/** The same as it is claimed: what is large is read when its turn has come, so that few are in memory at once. */
export interface ClaimedDelivery extends Omit<DueDelivery, 'notice'> {
  /** Undefined: to be had by `readNotice`. */
  readonly notice: Notice | undefined;
}

export interface KeptCallback {
  /** All of it, in UTF-8. */
  readonly json: Uint8Array;
  readonly startedAt: number;
  readonly timesReceived: number;
}

/** What is told, still as text, and how much it will be. */
export interface UnreadNotice {
  /** Of its JSON. */
  readonly bytes: number;
  readonly values: number;
  /** Undefined of an alert. */
  readonly kept: KeptCallback | undefined;
  readonly read: () => Notice;
}

/** `alert`: a message of Botbell's own to its operators. */
export type CallbackKind = 'callback' | 'alert';

/** What Botbell itself has to say to its operators; nothing where there are no targets. */
export interface Alert {
  /** What is told once within 60 minutes, by the store's clock; what is not told is counted. */
  readonly cause: string;
  readonly subject: AlertSubject;
  readonly targets: readonly DeliveryTarget[];
  /** The display's, for replicas of the version before. */
  readonly language: Language;
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
  readonly failedAnswers: number;
  readonly lastError: DeliveryError | undefined;
  readonly receipt: Receipt | undefined;
  readonly hold?: Hold | undefined;
  /** Its receipt is for later messages of its job (`Turns.earlierReceipts`). */
  readonly isFollowed?: boolean | undefined;
  readonly isTakenOver: boolean;
  /** Milliseconds until Botbell itself may attempt it; of no meaning unless it is pending and its job's next. */
  readonly dueInMs: number;
  /** Raised with it, if it counts; of a delivery that stays pending, once for each cause. */
  readonly alert?: Alert | undefined;
}

export interface AnswerRecord {
  readonly receivedAt: number;
  readonly answeredAt: number;
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

export interface Settled {
  /** A delivery of Botbell's own that waited for one of these, or of those settled with them, is due now. */
  readonly hasReleased: boolean;
}

/** A refused body is kept up to here. */
export const REFUSED_BODY_BYTES = 64 * 1024;

/** HTTP status codes that say so. */
export type RefusedStatus = 400 | 413 | 415 | 422;

/** A body that no retry can make acceptable, kept for the operator. */
export interface RefusedBody {
  readonly receivedAt: number;
  readonly status: RefusedStatus;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  readonly from: string;
  /** The bytes as UTF-8 text; the ledger keeps the first 64 KiB. */
  readonly body: string;
}

export interface OpenCounts {
  readonly pending: number;
  readonly dead: number;
  /** Until a time, or because no route names them any more. */
  readonly held: number;
}

/** The store could not be read or written, or did not answer in time. */
export class LedgerUnavailable extends Error {
  override readonly name: string = 'LedgerUnavailable';
}

/** What was asked for is written and committed, but was not flushed to disk in time: a power cut may take it. */
export class LedgerUnflushed extends LedgerUnavailable {
  override readonly name = 'LedgerUnflushed';
}

/** Nothing new can be written until some of what is undelivered is delivered or dismissed. */
export class LedgerFull extends LedgerUnavailable {
  override readonly name = 'LedgerFull';

  constructor() {
    super('the store has reached store.max_size, and nothing that is done is left to be forgotten');
  }
}

/**
 * Everything here settles within a time, whatever the store does: where `withinMs` (milliseconds) can be given, within
 * that, else within five seconds. What did not come in time may still happen in the store.
 */
export interface Ledger extends Pruning {
  /**
   * Writes the callback and its destinations down before anyone is told, and claims what is pending. Claims that the
   * store makes after this has thrown are released again, so that a retry, or Botbell after `take_over_after`, gets them.
   * @throws {LedgerUnavailable} LedgerFull: of a callback that the ledger does not know
   */
  admit(arrival: Arrival, withinMs?: number): Promise<Admission>;
  /**
   * Even when it throws, that somebody was told is kept, and written before anything else is admitted or claimed; what
   * failed is in nobody's hands any more.
   * @throws {LedgerUnavailable}
   */
  settle(settlement: Settlement, withinMs?: number): Promise<Settled>;
  readonly turns: Turns;
  /** Those for which something is due. @throws {LedgerUnavailable} */
  dueDestinations(): Promise<readonly DueDestination[]>;
  /** Claims what is due, in the order of its callbacks; what was given back in bulk last. @throws {LedgerUnavailable} */
  claimDue(requests: readonly DueRequest[]): Promise<readonly ClaimedDelivery[]>;
  /** Of a callback, or an alert, that has a delivery. @throws {LedgerUnavailable} */
  readNotice(callbackId: number): Promise<UnreadNotice>;
  /**
   * Makes due what waits for an earlier delivery of its job that is through, by a replica of the version before.
   * @throws {LedgerUnavailable}
   */
  releaseStranded(): Promise<void>;
  /** Makes due what was held back until now, a few hundred at most. @returns how many @throws {LedgerUnavailable} */
  releaseHeld(): Promise<number>;
  readonly paces: PaceStore;
  /** The deliveries of a callback, as they stand. @throws {LedgerUnavailable} */
  deliveriesOf(callbackId: number, withinMs?: number): Promise<readonly DeliveryRecord[]>;
  /** @param alert raised with it. @throws {LedgerUnavailable} */
  refuse(refused: RefusedBody, alert?: Alert, withinMs?: number): Promise<void>;
  /** @throws {LedgerUnavailable} */
  countOpen(): Promise<OpenCounts>;
  /** Proves that the store can be written. @throws {LedgerUnavailable} */
  probe(): Promise<void>;
  close(): Promise<void>;
}
