/** The types of the archive, which people read: callbacks with their deliveries and stories, BOTs, destinations, refused bodies. */
import type { NextStep } from '../../incident/escalation.ts';
import type { Incident } from '../../incident/incident.ts';
import type { StatusCode } from '../../callback/callback.ts';
import type { HistoryRow } from '../callbacks/history.ts';
import type { NoticeRow } from '../deliveries/rows.ts';
import type {
  CallbackKind,
  CallbackResult,
  DeliveryError,
  DeliveryRecord,
  DeliveryState,
  RefusedBody,
} from '../ledger.ts';

/** All given conditions must hold. Times are milliseconds since 1970. */
export interface CallbackFilter {
  /** A job's id; if there is no such job: a BOT's last name or its id, a part or a glob (`invoice-*`) of either, or the beginning of job ids. */
  readonly search?: string | undefined;
  readonly kind?: CallbackKind | undefined;
  readonly botId?: string | undefined;
  readonly jobId?: string | undefined;
  readonly status?: StatusCode | undefined;
  /** The state of one of its deliveries; with `destination`, of the one there. */
  readonly state?: DeliveryState | undefined;
  readonly destination?: string | undefined;
  /** The class of the last error of one of its deliveries, and its code; '' for none. With `state` and `destination`, of that one. */
  readonly errorClass?: string | undefined;
  readonly errorCode?: string | undefined;
  /** `<channel>:<address>` to which nothing of it was delivered. A page of these may have fewer than its limit, and a next one. */
  readonly notTold?: string | undefined;
  readonly result?: CallbackResult | undefined;
  /** The bounds, inclusive, of when it came first. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface PageRequest {
  /** `next` of the previous page; undefined: the newest page. */
  readonly before?: number | undefined;
  /** At most 500, but of snoozes; default: 50. */
  readonly limit?: number | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The next page's `before`; undefined: there is no next page. */
  readonly next: number | undefined;
}

/** A callback, or a notice of Botbell's own, without its body. Times are milliseconds since 1970. */
export interface ArchivedCallback {
  readonly id: number;
  readonly kind: CallbackKind;
  /** Ids and names are cleaned, and cut if they are long. */
  readonly jobId: string;
  readonly botId: string;
  readonly botName: string;
  readonly status: StatusCode;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly timesReceived: number;
  readonly elapsedSeconds: number | undefined;
  /** What an error says in one line; undefined: it is none. */
  readonly gist?: string | undefined;
  /** The last answer; undefined: none was given. */
  readonly result: CallbackResult | undefined;
  readonly deliveries: readonly DeliveryRecord[];
}

/** The most rows of `history` in a story, the newest. */
export const MOST_HISTORY = 200;

export interface CallbackStory extends ArchivedCallback {
  readonly about: number | undefined;
  /** As `ArchivedBot` has it. */
  readonly botKey: string;
  /** The router's explanations of its first routing; later routings are rows of `history`. */
  readonly routing: unknown;
  /** The last `MOST_HISTORY` events, in their order. */
  readonly history: readonly HistoryRow[];
  /** The steps of routes that its BOT's open incident still has before it; none if the callback is no trouble. */
  readonly next: readonly NextStep[];
}

/** A BOT with callbacks. Times are when one of them came, in milliseconds since 1970; undefined: never. */
export interface ArchivedBot {
  /** Its key (`keyOf`): its id, or the id's beginning and hash if it has more than 200 bytes. */
  readonly botId: string;
  readonly botName: string;
  readonly lastCallbackId: number;
  readonly lastReceivedAt: number;
  readonly lastSucceededAt: number | undefined;
  readonly lastFailedAt: number | undefined;
  readonly lastResultAt: number | undefined;
}

/** One job of a BOT: its result, or its start if it has no result. */
export interface Run extends Pick<
  ArchivedCallback,
  'jobId' | 'status' | 'startedAt' | 'receivedAt' | 'elapsedSeconds' | 'gist'
> {
  readonly callbackId: number;
}

export interface CameOfBot extends Pick<ArchivedCallback, 'botId' | 'status'> {
  readonly callbacks: number;
}

export interface DeadLetters {
  readonly destination: string;
  readonly errorClass: string;
  readonly errorCode: string;
  readonly count: number;
  /** When their callbacks came first; milliseconds since 1970. */
  readonly oldestAt: number;
  readonly newestAt: number;
  /** Of the last one. */
  readonly lastError: DeliveryError | undefined;
}

export interface ArchivedRefusal extends RefusedBody {
  readonly id: number;
  readonly receivedAt: number;
}

/** With the error that its gist comes from, which can be said in either language. */
export interface ArchivedIncident extends Incident {
  /** The destination's last error; of other incidents undefined. */
  readonly lastError: DeliveryError | undefined;
}

/** A destination's last success and failure, and what waits for it. Times are milliseconds since 1970; undefined: none known. */
export interface ArchivedDestination {
  readonly destination: string;
  readonly lastDeliveredAt: number | undefined;
  readonly lastFailedAt: number | undefined;
  /** The error of the last failed attempt; a rate limit is no failure. */
  readonly lastError: DeliveryError | undefined;
  /** Since when it has not answered; undefined: it is not down. */
  readonly downSince: number | undefined;
  /** Milliseconds until the pause of the destination or its channel ends, whichever process was asked for it; undefined: there is none. */
  readonly pausedMs: number | undefined;
  /** How many deliveries are not made yet, and when the first of their callbacks came. */
  readonly waiting: number;
  readonly waitingSince: number | undefined;
}

export interface DeliveryOfCallback {
  readonly delivery: DeliveryRecord;
  /** The notice's columns, for `noticeIn`. */
  readonly told: NoticeRow;
  /** Hash of the config in force at its last change; undefined: not known. */
  readonly configHash: string | undefined;
}
