/** What the config can ask for beyond "tell everybody of everything", as plain data: times in ms, times of day in minutes. */
import { ALL_STATUSES, type StatusName } from '../callback/callback.ts';

/** As `Date.getUTCDay` counts them. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

export type Weekday = (typeof WEEKDAYS)[number];

/** What a route may be told of. */
export const OCCASIONS = [...ALL_STATUSES, 'recovered'] as const;

export type Occasion = (typeof OCCASIONS)[number];

/** Of a route. `NO_RULES` is a route that asks for nothing. */
export interface RouteRules {
  /** A Liquid condition over the template's variables; undefined: it always holds. */
  readonly when: string | undefined;
  /** From which error in a row on errors are told. */
  readonly afterFailures: number;
  /** Which errors are told while a BOT keeps failing: each, one that differs from the last told, or one in so many ms. */
  readonly repeat: 'every' | 'changes' | number;
  readonly mute: readonly MuteEntry[];
  /** How long a job may be executing; undefined: for ever. */
  readonly overdueMs: number | undefined;
  readonly expect: Expectation | undefined;
}

export const NO_RULES: RouteRules = {
  when: undefined,
  afterFailures: 1,
  repeat: 'every',
  mute: [],
  overdueMs: undefined,
  expect: undefined,
};

/** All its keys must hold at once. Times are those of the display's timezone. */
export interface MuteEntry {
  /** On which the window begins; undefined: any. */
  readonly days?: readonly Weekday[] | undefined;
  /** `2026-12-29`, on which the window begins; undefined: any. */
  readonly dates?: readonly string[] | undefined;
  /** Minutes of the day, 0 to 1439; undefined: at midnight. */
  readonly from?: number | undefined;
  /** Minutes of the day, 1 to 1440; not later than `from`: of the next day. Undefined: at midnight. */
  readonly to?: number | undefined;
  /** Told all the same. */
  readonly except?: readonly StatusName[] | undefined;
}

/** When a result is due, and how long after that it may still come. */
export type Expectation = ({ readonly everyMs: number } | { readonly cron: string }) & {
  readonly graceMs: number;
};

/** Of a channel, for each destination on it: past `max` messages in `perMs`, one summary tells the rest. */
export interface Burst {
  readonly max: number;
  readonly perMs: number;
}

/** Of a group. */
export interface Digest {
  /** Minutes of the day in the display's timezone. */
  readonly at: number;
  readonly days: readonly Weekday[];
}

/** Of a destination: a message for each callback, replies under the job's first one, or one that is edited. */
export const PER_JOB = ['message', 'thread', 'update'] as const;

export type PerJob = (typeof PER_JOB)[number];

/** Somebody asked not to be told for a while: of a BOT, at a destination, or of the one at the other. */
export interface Snooze {
  readonly id: number;
  /** Undefined: any; not both. */
  readonly botId: string | undefined;
  readonly destination: string | undefined;
  /** In ms since 1970: it always ends. */
  readonly until: number;
  /** It ends with the BOT's next success, if that comes before. */
  readonly untilSuccess: boolean;
  readonly because: string;
  readonly by: string;
}

/** Who may hold a message back, in the order in which they are asked. */
export const RULES = ['on', 'when', 'after_failures', 'repeat', 'mute', 'snooze', 'burst'] as const;

export type RuleName = (typeof RULES)[number];
