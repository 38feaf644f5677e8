/** What the world has seen from outside, for the model to judge. Times: milliseconds since the world began. */
import type { DeliveryFailure } from '../../src/channels/failure.ts';
import type { Notice } from '../../src/notice/notice.ts';
import type { Act, Send } from './scenario.ts';

/** One run of the program, as seen from outside. */
export interface Run {
  readonly name: string;
  readonly slot: number;
  isAlive: boolean;
}

export interface Post {
  readonly send: Send;
  readonly nth: number;
  readonly at: number;
  /** The time of the store's clock then: milliseconds since 1970. */
  readonly clockedAt: number;
  readonly process: Run;
  readonly config: number;
  /** Undefined while it is neither answered nor cut off. */
  endedAt?: number;
  /** Undefined if the connection broke. */
  status?: number;
  result?: string | undefined;
  deliveries?: readonly AnsweredDelivery[];
}

export interface AnsweredDelivery {
  readonly destination: string;
  readonly state: 'pending' | 'delivered' | 'dead' | 'held';
  readonly error?: string;
  readonly rule?: string;
}

export interface Attempt {
  /** The message's name, which stays the same over retries and restarts. */
  readonly key: string;
  /** The number of the callback; 0 for a notice of Botbell's own. */
  readonly nth: number;
  readonly notice: Notice;
  readonly destination: string;
  readonly perJob: 'thread' | 'update' | undefined;
  readonly root: string | undefined;
  readonly process: Run;
  readonly at: number;
  /** When the remote accepted the message. */
  takenAt?: number;
  /** When the process learned the outcome. */
  endedAt?: number;
  failure?: DeliveryFailure;
  /** When the process learned that the remote has the whole message, so that its answer may take minutes. */
  handedOverAt?: number;
}

export interface Pause {
  readonly destination: string;
  readonly process: Run;
  readonly from: number;
  readonly until: number;
}

/** What a person asked for, and what the API answered. */
export interface Acted {
  readonly act: Act;
  readonly at: number;
  /** Undefined if there was nothing to act on, or no answer. */
  readonly status: number | undefined;
  /** The id of the callback or delivery that the request was about; for a snooze, its own id. */
  readonly id?: number | undefined;
  readonly incidents?: readonly number[] | undefined;
  /** The delivery as it stood in the list from which it was picked. */
  readonly was?: ListedDelivery | undefined;
  readonly listed?: Listed | undefined;
  /** Ids of the dead letters a moment before all were given back. */
  readonly dead?: readonly number[] | undefined;
  readonly body: string;
}

/** As `GET /api/callbacks` lists them. */
export interface ListedDelivery {
  readonly id: number;
  readonly destination: string;
  readonly state: 'pending' | 'delivered' | 'dead' | 'held';
  readonly attempts: number;
  readonly last_error: { readonly class: string; readonly code: string } | null;
  readonly rule?: string;
  readonly until?: string;
}

export interface Listed {
  readonly id: number;
  readonly kind: string;
  readonly job_id: string | null;
  readonly bot_id: string | null;
  readonly status: string;
  readonly elapsed_time: number | null;
  readonly received_at: string;
  readonly result: string | null;
  readonly deliveries: readonly ListedDelivery[];
}

/** As `GET /api/incidents` lists them. */
export interface ListedIncident {
  readonly id: number;
  readonly kind: 'bot' | 'destination' | 'botbell';
  /** A BOT, a destination, or what is wrong with Botbell. */
  readonly subject: string;
  readonly count: number;
  readonly gist: string;
  readonly state: 'open' | 'taken_up' | 'over';
}

/** A BOT's figures as `GET /api/report` says them. */
export interface ReportedBot extends Readonly<Record<FigureName, number>> {
  readonly bot_id: string;
}

type FigureName =
  'runs' | 'unfinished' | 'succeeded' | 'errors' | 'missed' | 'overdue' | 'running_seconds' | 'incidents';

/** A callback as the API lists it at the end. */
export interface Admitted {
  readonly send: Send;
  readonly id: number;
  readonly at: number;
  /** The number of the config in force in the process that received it. */
  readonly config: number;
  /** Its listing, without deliveries of steps. */
  readonly listed: Listed;
  readonly escalated: readonly ListedDelivery[];
}

export interface Observed {
  readonly posts: Post[];
  readonly attempts: Attempt[];
  readonly pauses: Pause[];
  readonly acted: Acted[];
  /** When each config came into force in which slot. */
  readonly loaded: { readonly at: number; readonly config: number; readonly slot: number }[];
  readonly stops: { readonly process: Run; readonly from: number; readonly ms: number }[];
  readonly ends: { readonly at: number; readonly process: Run }[];
  readonly slept: number[];
  readonly unforeseen: string[];
  /** All callbacks and notices at the end, in the order of their ids. */
  listed: readonly Listed[];
  /** Callbacks and notices with dead letters at the end, alerts included. */
  dead: readonly Listed[];
  /** All incidents at the end, the newest first. */
  incidents: readonly ListedIncident[];
  reported: readonly ReportedBot[];
  metrics: readonly string[];
  stuck: string | undefined;
}

export function nothingYet(): Observed {
  const ofProcesses = { loaded: [], stops: [], ends: [], slept: [], unforeseen: [] };
  const atTheEnd = { listed: [], dead: [], incidents: [], reported: [], metrics: [], stuck: undefined };
  return { posts: [], attempts: [], pauses: [], acted: [], ...ofProcesses, ...atTheEnd };
}
