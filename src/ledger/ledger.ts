/** The types that the ledger takes and returns. Times are milliseconds since 1970. */
import type { Callback, CallbackError, CheckedCallback } from '../callback/callback.ts';
import type { FailureClass, FailureDetails } from '../channels/failure.ts';
import type { Receipt } from '../channels/channel.ts';
import type { AlertSubject, Notice } from '../notice/notice.ts';
import type { Burst, Expectation } from '../signal/rules.ts';
import type { AskedRoute, Telling } from '../signal/decide.ts';

/** What a row of `callbacks` is: a callback, or a notice of Botbell's own, to its operators (`alert`) or about BOTs. */
export const CALLBACK_KINDS = [
  'callback',
  'alert',
  ...(['overdue', 'missed', 'summary', 'digest', 'report', 'budget', 'taken_up', 'over'] as const),
] as const;
export type CallbackKind = (typeof CALLBACK_KINDS)[number];

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

export type DeliveryError = Omit<FailureDetails, 'retryAfterMs' | 'isForLater'>;

export interface DeliveryTarget {
  /** `<channel>:<address>`; no channel's name has a colon. */
  readonly destination: string;
}

export function channelOf(destination: string): string {
  return destination.split(':', 1).join();
}

/** Reason of what is held for good, since it is no longer true: an `executing` whose job's result is known, and the like. */
export const SUPERSEDED = 'superseded';

/** Reason of what a rule had held until its route's `on` let it go for good. */
export const NOT_ASKED_FOR = 'on';

/** Reason of a held or dead delivery whose destination the config no longer names, until a route names it again. */
export const NO_LONGER_ROUTED = 'no longer routed';

/** Reason of a dead letter, or of a delivery no longer routed, that a person has dismissed: no route revives it. */
export const DISMISSED = 'dismissed';

/** Names one delivery for good. Its id alone does not: a database that loses rows in a crash, or is restored, gives their ids to others. */
export interface DeliveryName extends DeliveryTarget {
  readonly id: number;
  /** When its callback came, by the store's clock. */
  readonly receivedAt: number;
}

export function isSame(a: DeliveryName, b: DeliveryName): boolean {
  return a.id === b.id && a.destination === b.destination && a.receivedAt === b.receivedAt;
}

export interface DeliveryRecord extends DeliveryName {
  readonly callbackId: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly lastError?: DeliveryError | undefined;
  readonly receipt?: Receipt | undefined;
  /** Why it is held, or dead without having failed: one of the constants above, or a rule's name. */
  readonly reason?: string | undefined;
  /** When the hold ends; undefined: it does not end by itself. */
  readonly heldUntil?: number | undefined;
  readonly snoozeId?: number | undefined;
  readonly summaryId?: number | undefined;
  /** Whether that summary waits to be delivered. */
  readonly isSummaryPending?: boolean;
  /** How it is rendered, if not by its status alone. */
  readonly telling?: Telling | undefined;
  /** For people: its callback is no longer true, such as the start of a job whose result is known: it is not sent any more. */
  readonly isOutdated?: boolean | undefined;
  /** How often it failed as `permanent` or `config` and was left to the service, so that the answer was non-2xx. */
  readonly refusals: number;
  readonly isTakenOver: boolean;
  /** Who has claimed it: this call, so that the caller attempts it, or another one, of whichever process. */
  readonly claim?: 'own' | 'another' | undefined;
  /** Id of the delivery at its destination that must end first: an earlier one of its job, or an error that it answers; 0: several jobs have one. */
  readonly behind?: number | undefined;
  /** For people: its destination is down, and the oldest delivery there is attempted in so many milliseconds; undefined: it is not down. */
  readonly probeInMs?: number | undefined;
  /** Milliseconds that count towards give_up_after: its age without the time in which it only waited. */
  readonly ageMs: number;
  /** While pending: milliseconds until Botbell itself may attempt it; negative: it has been due for so long. */
  readonly dueInMs: number;
  readonly givenBackAt?: number | undefined;
  readonly updatedAt: number;
}

/** A destination of a callback, before the rules of its routes are asked. */
export interface PlannedDelivery extends DeliveryTarget {
  /** The routes whose rules are asked; undefined: it is sent without asking. */
  readonly asked?: readonly AskedRoute[] | undefined;
  readonly burst?: Burst | undefined;
  /** It edits an earlier message of its job, if there is one, and then counts in no burst. */
  readonly isEdit?: boolean | undefined;
}

/** A target after its rules were asked. With a `reason` it is held, until `heldUntil` if that is set. */
export interface DecidedTarget extends DeliveryTarget {
  readonly reason?: string | undefined;
  readonly heldUntil?: number | undefined;
  readonly snoozeId?: number | undefined;
  readonly telling?: Telling | undefined;
  /** The key of its BOT: it says that the BOT works again, after the errors that the destination was told. */
  readonly recoveryOf?: string | undefined;
  /** The routes that tell it now, by name; left out: all that are asked. */
  readonly tells?: readonly string[] | undefined;
}

/** What the rules of a BOT need beside the planned deliveries. */
export interface Watched {
  readonly timezone: string;
  /** A rule depends on the BOT's earlier results. */
  readonly isRemembered: boolean;
  /** The BOT's expectations, each with the key of its timer. */
  readonly expected: readonly { readonly key: string; readonly rule: Expectation }[];
  /** Milliseconds after which a run without a result is reported as overdue. */
  readonly overdueMs: readonly number[];
}

/** What the rules are asked of every callback of one BOT and status. */
export interface Asking extends Watched {
  readonly planned: readonly PlannedDelivery[];
  /** Of a success: whom steps may have told of the trouble that it ends. */
  readonly later?: readonly PlannedDelivery[] | undefined;
  /** Nothing but a snooze can hold a destination, and nothing about the BOT is kept. */
  readonly isPlain: boolean;
  /** A channel of `planned` or `later` limits bursts. */
  readonly mayCount: boolean;
}

export interface Arrival extends CheckedCallback {
  /** The JSON as received, in UTF-8. */
  readonly body: Uint8Array;
  /** JSON of the router's explanations. */
  readonly routing: string;
  readonly asking: Asking;
  /** For an error that is compared with the last one told, the result of `likenessOf`; else ''. */
  readonly likeness: string;
  /** The conditions `when` of its routes that it does not meet. */
  readonly unmet: readonly string[];
  /** It is answered before any attempt, with its admission: its deliveries are on disk, taken over and due at once. */
  readonly isAccepted: boolean;
  /** This process has room for an accepted callback's deliveries, and claims them; left out: any process with room does. */
  readonly isClaimed?: boolean;
}
export interface Admission {
  readonly callbackId: number;
  /** As first received, so that all attempts send the same, although `elapsed_time` grows while the service retries. */
  readonly callback: Callback;
  readonly isNew: boolean;
  readonly timesReceived: number;
  readonly firstReceivedAt: number;
  readonly asOf: number;
  /** An `executing` that came after its job's result. */
  readonly isSuperseded: boolean;
  /** It is accepted, or nobody is to be told, so the answer, a 200, has been written with it. */
  readonly isAnswered: boolean;
  readonly deliveries: readonly DeliveryRecord[];
}

export interface DueDelivery {
  readonly record: DeliveryRecord;
  readonly kind: CallbackKind;
  readonly notice: Notice;
  /** Of its callback, as received. */
  readonly bytes: number;
  /** This claim took it over: until now the service was to retry it. */
  readonly isTakenOver: boolean;
}
export interface DueRequest {
  readonly destination: string;
  readonly limit: number;
  /** Deliveries of bulk redeliveries come before all others, not after them. */
  readonly isBulkFirst: boolean;
}

export interface Alert {
  /** The same for all incidents that one repair would end: alerts of a cause are told once within an hour. */
  readonly cause: string;
  readonly subject: AlertSubject;
  readonly targets: readonly DeliveryTarget[];
  /** It is not told if its incident is over within so many milliseconds. */
  readonly afterMs?: number | undefined;
}
export interface AttemptRecord {
  readonly durationMs: number;
  /** By the monotonic clock (`storedTime`). */
  readonly endedAt: number;
  readonly outcome: 'delivered' | FailureClass;
  readonly error: DeliveryError | undefined;
}
/** A delivery's state after its attempts; writing it ends the claim. */
export interface DeliveryUpdate
  extends
    DeliveryName,
    Pick<DeliveryRecord, 'state' | 'attempts' | 'lastError' | 'receipt' | 'isTakenOver'>,
    Partial<Pick<DeliveryRecord, 'reason' | 'heldUntil'>> {
  /** Milliseconds until Botbell itself may attempt it; undefined: its due time stays. */
  readonly dueInMs?: number | undefined;
  readonly alert?: Alert | undefined;
}
/** Times are by the monotonic clock (`storedTime`). */
export interface AnswerRecord {
  readonly arrivedAt: number;
  readonly answeredAt: number;
  readonly status: number;
  readonly result: CallbackResult;
}
export interface Settlement {
  readonly callbackId: number;
  /** When the callback came, by the store's clock. */
  readonly receivedAt: number;
  /** Of the delivery that has ended, or waits for another attempt; undefined: only the answer is written. */
  readonly update?: DeliveryUpdate | undefined;
  /** The attempts of that delivery since it was claimed. */
  readonly attempts: readonly AttemptRecord[];
  readonly answer?: AnswerRecord | undefined;
  /** It has to be on disk when `settle` resolves; else a crash of PostgreSQL may undo it. */
  readonly isDurable: boolean;
}
export type RefusedStatus = 400 | 413 | 415 | 422 | 503;
export interface RefusedBody {
  readonly status: RefusedStatus;
  readonly detail: string;
  readonly errors: readonly CallbackError[];
  readonly from: string;
  readonly body: string;
}

/** The store could not be read or written, or did not answer in time. */
export class LedgerUnavailable extends Error {
  override readonly name: string = 'LedgerUnavailable';
}
/** The store has reached store.max_size, and no finished callback is left to delete. */
export class LedgerFull extends LedgerUnavailable {
  override readonly name = 'LedgerFull';

  constructor() {
    super('the store has reached store.max_size, and nothing that is done is left to be forgotten');
  }
}
