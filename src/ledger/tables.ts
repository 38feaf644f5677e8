/** The ledger's tables as Kysely sees them; the migrations create them. Times are milliseconds since the epoch. */
import type { ColumnType, Generated, RawBuilder } from 'kysely';
import type { StoredBody } from './stored-body.ts';

/** Written as an expression, so that the store's own clock can tell the time. */
type StoreTimed<Value> = ColumnType<Value, Value | RawBuilder<number>, Value | RawBuilder<number>>;

export interface CallbackRow {
  id: Generated<number>;
  kind: string;
  /** SHA-256 of everything in the callback but `elapsed_time`; null where a version before has written a job's only callback. */
  identity: string | null;
  /** Cleaned, and cut where it is long. */
  job_id: string;
  bot_id: string;
  bot_name: string;
  status: number;
  started_at: number;
  received_at: number;
  last_received_at: number;
  times_received: number;
  /** The callback as JSON, as it came; see `stored-body.ts`. */
  body: ColumnType<StoredBody, string>;
  /** Why each route matched or not, as JSON. */
  routing: string;
  /** Seconds; null where the callback does not say, or came to a version before as a large body. */
  elapsed_time: number | null;
  /** Of an alert: the id of the callback that it is about. */
  about: number | null;
}

/** What came of a BOT on one day, kept longer than its callbacks. Times are when one of them came, 0 for never. */
export interface BotDayRow {
  /** As `keyOf` makes it. */
  bot_id: string;
  /** `2026-01-31`, where the ledger's timezone is. */
  day: string;
  bot_name: string;
  last_callback_id: number;
  last_received_at: number;
  last_succeeded_at: number;
  last_failed_at: number;
  succeeded: number;
  failed: number;
  started: number;
  /** How often callbacks came again. */
  retries: number;
  /** Seconds, of the results. */
  elapsed_time: number;
}

export interface DeliveryRow {
  id: Generated<number>;
  callback_id: number;
  destination: string;
  channel: string;
  address: string;
  state: string;
  attempts: number;
  refusals: number;
  error_class: string | null;
  error_code: string | null;
  error_message: string | null;
  /** JSON. */
  receipt: string | null;
  /** 1: later messages of its job may refer to it. */
  is_followed: number | null;
  held_because: string | null;
  /** JSON. */
  held_details: string | null;
  /** From here on it is to be attempted again; the store's time. */
  held_until: StoreTimed<number | null>;
  claimed_by: string | null;
  /** The claim is void from here on. */
  claimed_until: StoreTimed<number | null>;
  /** From here on Botbell itself may attempt it, unless it is claimed; `WAITS_FOR_EARLIER` for what is not its job's next. */
  due_at: StoreTimed<number>;
  /** 1: Botbell retries it by itself. */
  is_ours: number;
  updated_at: StoreTimed<number>;
  /** `job_id` of its callback; null for alerts, and for what an earlier version had finished. */
  job_key: string | null;
  /** From here on its age counts towards being given up; the store's time. Null: written by an earlier version. */
  counts_from: StoreTimed<number | null>;
  /** How long it was due without being attempted: paused, paced, waiting for its turn. */
  waited_ms: ColumnType<number, number | undefined, number | RawBuilder<number>>;
  /** The lasting failure of which the operators have been told. */
  alerted_cause: string | null;
  /** 1: given back in bulk, so that it comes after what is new. */
  is_bulk: ColumnType<number, number | undefined, number>;
  /** The last bulk redelivery that it was given back by. */
  bulk_id: number | null;
  /** When a person had it attempted again, or routed its callback here; the store's time. */
  given_back_at: StoreTimed<number | null>;
}

/** What the operators are told once an hour. */
export interface AlertCauseRow {
  cause: string;
  told_at: number;
  /** Alerts of the cause that were not told since then. */
  suppressed: number;
}

/** A process that runs on this store, or did a little while ago. Times are the store's. */
export interface ProcessRow {
  owner: string;
  /** Of the config that it runs with. */
  config_hash: string;
  loaded_at: StoreTimed<number>;
  /** Its last heartbeat. */
  seen_at: StoreTimed<number>;
}

/** A channel of any config that ever ran on this store. */
export interface ChannelTypeRow {
  name: string;
  type: string;
}

/** How a destination did last, as its processes write it down every few seconds. Times are milliseconds since the epoch, 0 for never. */
export interface DestinationRow {
  /** `<channel>:<address>` */
  destination: string;
  last_delivered_at: number;
  last_failed_at: number;
  /** Of the last failure. */
  error_class: string | null;
  error_code: string | null;
  error_message: string | null;
  /** Of the last sends by the process that wrote it; null: not known. */
  median_ms: number | null;
  slow_ms: number | null;
}

/** A config from when on it was in force, each time that it differed from the one loaded before, by any process. */
export interface LoadedConfigRow {
  id: Generated<number>;
  hash: string;
  /** The store's time. */
  loaded_at: StoreTimed<number>;
}

/** A destination, or a channel as a whole, that has limited its rate. */
export interface PaceRow {
  /** `<channel>:<address>`, or `<channel>`. */
  destination: string;
  /** No message before; the store's time. */
  next_at: StoreTimed<number>;
}

/** How far a sweep of the retention has come. */
export interface SweepRow {
  sweep: string;
  /** The id of a callback: it and all before it have been looked at. */
  looked_at: ColumnType<number, number, number | RawBuilder<number>>;
}

export interface HistoryRow {
  id: Generated<number>;
  callback_id: number;
  /** A `HistoryEntry` as JSON. */
  entry: string;
}

/** What was done about a callback at one moment. Times are milliseconds since the epoch. */
export interface HistoryEntry {
  /** Left out where none was made. */
  readonly attempts: readonly HistoryAttempt[] | undefined;
  /** Left out where nobody was answered. */
  readonly answer:
    | {
        readonly received_at: number;
        readonly answered_at: number;
        /** HTTP status code. */
        readonly status: number;
        readonly result: string;
      }
    | undefined;
}

export interface HistoryAttempt {
  readonly delivery_id: number;
  readonly started_at: number;
  readonly duration_ms: number;
  readonly outcome: string;
  readonly error_code: string | undefined;
  readonly error_message: string | undefined;
}

export interface RefusedRow {
  id: Generated<number>;
  received_at: number;
  status: number;
  detail: string;
  /** JSON. */
  errors: string;
  remote_address: string;
  /** See `stored-body.ts`. */
  body: ColumnType<StoredBody>;
}

/** What a person did about the deliveries of one callback. */
export interface ActionRow {
  id: Generated<number>;
  callback_id: number;
  at: number;
  what: string;
  /** An `Actor` as JSON. */
  actor: string;
  note: string | null;
  /** JSON. */
  delivery_ids: string;
  /** What was answered, as JSON, where that is more than that it was done. */
  outcome: string | null;
  /** An array of `EndedBefore` as JSON; null: nothing had ended, or a version before has written it. */
  ended_before: string | null;
  bulk_id: number | null;
  /** A hash of it, and of what it was for. */
  nonce: string | null;
}

/** A redelivery or dismissal of all that a filter matches. */
export interface BulkRow {
  id: Generated<number>;
  what: string;
  /** A `RedeliveryFilter` as JSON. */
  filter: string;
  actor: string;
  note: string | null;
  /** `running`, `done`, `stopping` while what was given back is still being withdrawn, `stopped`. */
  state: string;
  started_at: number;
  ended_at: number | null;
  /** The `Actor` who did, as JSON. */
  stopped_by: string | null;
  /** The id of a delivery: it and all before it have been looked at. */
  looked_at: ColumnType<number, number | undefined, number>;
  /** The highest id of a delivery when it began. */
  until_id: number;
  given: ColumnType<number, number | undefined, number | RawBuilder<number>>;
  withdrawn: ColumnType<number, number | undefined, number>;
  /** Why it was stopped. */
  stop_note: string | null;
  nonce: string | null;
}

/** Attempts of one day that came to the same. */
export interface AttemptDayRow {
  /** `2026-01-31`, where the ledger's timezone is. */
  day: string;
  /** `delivered`, or a failure's class. */
  outcome: string;
  attempts: number;
}

export interface Tables {
  callbacks: CallbackRow;
  deliveries: DeliveryRow;
  history: HistoryRow;
  refused: RefusedRow;
  paces: PaceRow;
  alert_causes: AlertCauseRow;
  processes: ProcessRow;
  sweeps: SweepRow;
  channel_types: ChannelTypeRow;
  bot_days: BotDayRow;
  attempt_days: AttemptDayRow;
  destinations: DestinationRow;
  loaded_configs: LoadedConfigRow;
  actions: ActionRow;
  bulks: BulkRow;
}
