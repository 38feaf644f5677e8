/** What the world has seen from outside, for the model to judge. Times: milliseconds since the world began. */
import type { DeliveryFailure } from '../../src/channels/failure.ts';
import type { Notice } from '../../src/notice/notice.ts';
import type { Act, Send } from './scenario.ts';

/** One run of the program, as others see it. */
export interface Run {
  readonly name: string;
  readonly slot: number;
  isAlive: boolean;
}

/** A POST of the service. */
export interface Post {
  readonly send: Send;
  readonly nth: number;
  readonly at: number;
  /** What the store's clock said then: milliseconds since 1970. */
  readonly clockedAt: number;
  readonly process: Run;
  readonly config: number;
  /** Undefined: it has not been answered, nor has its connection broken. */
  endedAt?: number;
  /** Undefined: the connection broke. */
  status?: number;
  result?: string | undefined;
  deliveries?: readonly AnsweredDelivery[];
}

export interface AnsweredDelivery {
  readonly destination: string;
  readonly state: 'pending' | 'delivered' | 'dead' | 'held';
  readonly error?: string;
  /** Which holds it. */
  readonly rule?: string;
}

/** One call of a remote. */
export interface Attempt {
  /** What is told, by a name that no retry and no restart changes. */
  readonly key: string;
  /** Of the callback that is told; 0: it is a notice of Botbell's own. */
  readonly nth: number;
  readonly notice: Notice;
  readonly destination: string;
  readonly perJob: 'thread' | 'update' | undefined;
  readonly root: string | undefined;
  readonly process: Run;
  readonly at: number;
  /** The remote took it. */
  takenAt?: number;
  /** The process knows how it ended. */
  endedAt?: number;
  failure?: DeliveryFailure;
  /** The process has been told that the remote has the whole message, so that its answer may take minutes. */
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
  /** Undefined: nothing was there to ask it of, or nobody answered. */
  readonly status: number | undefined;
  /** The id of the callback or delivery that it was asked of; of a snooze, its own. */
  readonly id?: number | undefined;
  /** Those that it was asked of. */
  readonly incidents?: readonly number[] | undefined;
  /** As it stood in the list by which it was picked. */
  readonly was?: ListedDelivery | undefined;
  readonly listed?: Listed | undefined;
  /** Ids of what was dead a moment before it was all given back. */
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

/** A callback that the product has, at the end, as the API lists it. */
export interface Admitted {
  readonly send: Send;
  readonly id: number;
  readonly at: number;
  /** In force where it came. */
  readonly config: number;
  /** But for what steps have told. */
  readonly listed: Listed;
  /** Deliveries to whom steps tell. */
  readonly escalated: readonly ListedDelivery[];
}

export interface Observed {
  readonly posts: Post[];
  readonly attempts: Attempt[];
  readonly pauses: Pause[];
  readonly acted: Acted[];
  /** Which configs came into force where. */
  readonly loaded: { readonly at: number; readonly config: number; readonly slot: number }[];
  readonly stops: { readonly process: Run; readonly from: number; readonly ms: number }[];
  /** When processes ended, by a crash or a stop. */
  readonly ends: { readonly at: number; readonly process: Run }[];
  /** When time was left out: its ends. */
  readonly slept: number[];
  /** What should never be logged. */
  readonly unforeseen: string[];
  /** At the end, in the order of their ids. */
  listed: readonly Listed[];
  /** At the end, what has dead letters: alerts, too. */
  dead: readonly Listed[];
  /** At the end, the newest first. */
  incidents: readonly ListedIncident[];
  /** At the end, of each process. */
  metrics: readonly string[];
  /** Why it did not end; undefined: it did. */
  stuck: string | undefined;
}

export function nothingYet(): Observed {
  const empty = {
    posts: [],
    attempts: [],
    pauses: [],
    acted: [],
    loaded: [],
    stops: [],
    ends: [],
    slept: [],
    unforeseen: [],
  };
  return {
    ...empty,
    listed: [],
    dead: [],
    incidents: [],
    metrics: [],
    stuck: undefined,
  };
}
