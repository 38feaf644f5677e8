/** What people ask the ledger: which callbacks there were, what became of each and why, and how each BOT does. */
import type { StatusCode } from '../../callback/callback.ts';
import type { HistoryRow } from '../history.ts';
import type { NoticeRow } from '../rows.ts';
import type {
  CallbackKind,
  CallbackResult,
  DeliveryError,
  DeliveryRecord,
  DeliveryState,
  RefusedBody,
} from '../ledger.ts';

/** All of what is given must hold. Times are milliseconds since 1970. */
export interface CallbackFilter {
  /** The id of a job; else a name, an id, a part of either or a glob (`invoice-*`) of BOTs, or what ids of jobs begin with. */
  readonly search?: string | undefined;
  readonly botId?: string | undefined;
  readonly jobId?: string | undefined;
  readonly status?: StatusCode | undefined;
  /** Of one of its deliveries: of the one to `destination` where that is given, too. */
  readonly state?: DeliveryState | undefined;
  /** `<channel>:<address>`, of one of its deliveries. */
  readonly destination?: string | undefined;
  /** What was answered last. */
  readonly result?: CallbackResult | undefined;
  /** When it came first. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface PageRequest {
  /** `next` of the page before; none for the newest. */
  readonly before?: number | undefined;
  /** At most 500; default: 50. */
  readonly limit?: number | undefined;
}

/** Newest first. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined: there is none. */
  readonly next: number | undefined;
}

/** A callback, or what Botbell says by itself, without what is large of it. Times are milliseconds since 1970. */
export interface ArchivedCallback {
  readonly id: number;
  readonly kind: CallbackKind;
  /** Ids and names are cleaned, and cut where they are long. */
  readonly jobId: string;
  readonly botId: string;
  readonly botName: string;
  readonly status: StatusCode;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly lastReceivedAt: number;
  readonly timesReceived: number;
  /** Undefined where the callback does not say. */
  readonly elapsedSeconds: number | undefined;
  /** What was answered last; undefined where nobody has been answered. */
  readonly result: CallbackResult | undefined;
  /** In the order in which they were planned. */
  readonly deliveries: readonly DeliveryRecord[];
}

/** Rows of a story. Of what comes again and again, the newest. */
export const MOST_HISTORY = 200;

/** All that is known of one callback but its body. */
export interface CallbackStory extends ArchivedCallback {
  /** The callback that it tells of. */
  readonly about: number | undefined;
  /** Why each route matched or not when it came: the router's explanations; later ones are rows of `history`. */
  readonly routing: unknown;
  /** What happened, in its order; of very much, the last of it. */
  readonly history: readonly HistoryRow[];
}

/** A BOT, as its callbacks name it. Times are when one of them came, in milliseconds since 1970; undefined: never. */
export interface ArchivedBot {
  /** As callbacks name it; of more than 200 characters its beginning, and its hash. */
  readonly botId: string;
  readonly botName: string;
  readonly lastCallbackId: number;
  readonly lastReceivedAt: number;
  readonly lastSucceededAt: number | undefined;
  readonly lastFailedAt: number | undefined;
  readonly lastResultAt: number | undefined;
  /** What came last of a run that ended was an error. */
  readonly isFailing: boolean;
}

/** A BOT of which nothing has come since it was told that a result was due, or takes too long. */
export interface LateBot extends Pick<ArchivedBot, 'botId' | 'botName'> {
  readonly kind: 'missed' | 'overdue';
  /** The notice that told it, and when that was. */
  readonly noticeId: number;
  readonly toldAt: number;
}

/** One job of a BOT, by its last callback: its result, where it has one. */
export interface Run {
  readonly callbackId: number;
  readonly jobId: string;
  readonly status: StatusCode;
  readonly startedAt: number;
  readonly receivedAt: number;
  /** Undefined where the callback does not say. */
  readonly elapsedSeconds: number | undefined;
}

/** How many callbacks of a status came of a BOT. */
export interface CameOfBot {
  readonly botId: string;
  readonly status: StatusCode;
  readonly callbacks: number;
}

/** Dead letters of one destination and cause. */
export interface DeadLetters {
  readonly destination: string;
  readonly errorClass: string;
  readonly errorCode: string;
  readonly count: number;
  /** When their callbacks came first; milliseconds since 1970. */
  readonly oldestAt: number;
  readonly newestAt: number;
}

export interface ArchivedRefusal extends RefusedBody {
  readonly id: number;
}

/** Bodies that were refused for the same fault. */
export interface RefusedAlike {
  readonly newest: ArchivedRefusal;
  readonly count: number;
  /** Of these, nobody has seen. */
  readonly unseen: number;
  /** When the oldest came; milliseconds since 1970. */
  readonly oldestAt: number;
}

/** How a destination does. Times are milliseconds since 1970; undefined: never, as far as is known. */
export interface ArchivedDestination {
  /** `<channel>:<address>` */
  readonly destination: string;
  readonly lastDeliveredAt: number | undefined;
  readonly lastFailedAt: number | undefined;
  /** Of the last attempt that failed; a rate limit is none. */
  readonly lastError: DeliveryError | undefined;
}

/** One delivery, as it may be drawn again. */
export interface DeliveryOfCallback {
  readonly delivery: DeliveryRecord;
  /** What it tells; `noticeIn` reads it. */
  readonly told: NoticeRow;
  /** Of the config by which it was sent or tried last; undefined: not known. */
  readonly configHash: string | undefined;
}
