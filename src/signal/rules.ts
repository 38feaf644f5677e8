/** The config's rules about what is told, as plain data: times in ms, times of day in minutes. */
import { ALL_STATUSES, type StatusName } from '../callback/callback.ts';

/** In the order of `Date.getUTCDay`. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

export type Weekday = (typeof WEEKDAYS)[number];

/** The values of a route's `on`. */
export const OCCASIONS = [...ALL_STATUSES, 'recovered'] as const;

export type Occasion = (typeof OCCASIONS)[number];

/** The rules of one route; `NO_RULES` holds their defaults. */
export interface RouteRules {
  /** A Liquid condition over the template's variables; undefined: it always holds. */
  readonly when: string | undefined;
  /** Which error in a row is the first that is told; 1: the first one. */
  readonly afterFailures: number;
  /** Which errors are told while a BOT keeps failing: every one, those that differ from the last one told, or one per so many ms. */
  readonly repeat: 'every' | 'changes' | number;
  readonly mute: readonly MuteEntry[];
  /** How long a job may be executing; undefined: without limit. */
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

/** Some days of all. Made once for each config, and never changed. */
export interface Calendar {
  /** The same text for the same days; as JSON, the calendar is this text. */
  readonly key: string;
  /** @param day its midnight in ms, read as UTC */
  has(day: number): boolean;
  toJSON(): string;
}

/** Hours: a time is in them if all keys that are set apply to it. Times are in the display's timezone. */
export interface TimeWindow {
  /** Days on which the window begins; undefined: any. */
  readonly days?: readonly Weekday[] | undefined;
  /** Dates (`2026-12-29`) on which the window begins; undefined: any. */
  readonly dates?: readonly string[] | undefined;
  /** Days on which the window begins; undefined: any. */
  readonly calendar?: Calendar | undefined;
  /** Minutes of the day, 0 to 1439; undefined: at midnight. */
  readonly from?: number | undefined;
  /** Minutes of the day, 1 to 1440; if not later than `from`, on the next day. Undefined: at midnight. */
  readonly to?: number | undefined;
}

/** Holds messages in its hours. */
export interface MuteEntry extends TimeWindow {
  /** Statuses that the entry does not hold. */
  readonly except?: readonly StatusName[] | undefined;
}

/** When a result is due, and how long after that it may still come. */
export type Expectation = (
  | { readonly everyMs: number }
  | { readonly cron: string; readonly timezone: string; readonly calendar?: Calendar | undefined }
) & { readonly graceMs: number };

/** A channel's limit for each destination: after `max` messages in `perMs`, one summary tells the rest. */
export interface Burst {
  readonly max: number;
  readonly perMs: number;
}

/** When a group's digest is due. */
export interface Digest {
  /** Minutes of the day in the display's timezone. */
  readonly at: number;
  readonly days: readonly Weekday[];
  readonly calendar?: Calendar | undefined;
}

export const PERIODS = ['day', 'week', 'month'] as const;

/** When a report is due, and of what period it tells. */
export interface Report extends Pick<Digest, 'at' | 'calendar'> {
  readonly every: (typeof PERIODS)[number];
}

/** How a destination shows a job: a message for each callback, replies under the first message, or one edited message. */
export const PER_JOB = ['message', 'thread', 'update'] as const;

export type PerJob = (typeof PER_JOB)[number];

/** Somebody asked not to be told for a while: of a BOT, at a destination, or of a BOT at a destination. */
export interface Snooze {
  readonly id: number;
  /** Undefined: any BOT. At least one of `botId` and `destination` is set. */
  readonly botId: string | undefined;
  readonly destination: string | undefined;
  /** In ms since 1970; every snooze ends. */
  readonly until: number;
  /** The snooze ends with the BOT's next success if that comes before `until`. */
  readonly isUntilSuccess: boolean;
  readonly because: string;
  readonly by: string;
}

/** The rules that may hold a message or let it go, in the order in which they are asked. */
export const RULES = ['on', 'when', 'after_failures', 'repeat', 'mute', 'snooze', 'burst'] as const;

export type RuleName = (typeof RULES)[number];
