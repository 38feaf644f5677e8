/** Notices: a template's name, and what the message is about, a callback or data of Botbell's own. Times: milliseconds since 1970. */
import type { Labels } from '../channels/channel.ts';
import {
  ALL_STATUSES,
  type Callback,
  type CallbackError,
  type CheckedCallback,
  identityOf,
  namesOf,
  statusNameOf,
} from '../callback/callback.ts';
import type { FailureToExplain } from '../channels/failure.ts';
import type { BudgetStanding } from '../report/budget.ts';
import type { ToldReport } from '../report/report.ts';
import type { CalendarDoubt } from '../signal/calendar.ts';
import type { Telling } from '../signal/decide.ts';
import type { ToldTroubles } from '../incident/incident.ts';

export type AlertedCallback = Pick<Callback, 'job_id' | 'bot_id' | 'bot_name' | 'status'>;

/** A message that could not be delivered, or cannot be for now. */
interface UndeliveredMessage {
  /** `<channel>:<address>` */
  readonly destination: string;
  readonly channel: string;
  readonly error: FailureToExplain;
  readonly attempts: number;
  readonly callback: AlertedCallback;
  readonly callbackId: number;
  readonly since: number;
}

/** One BOT of a summary or digest, as templates see it. */
interface ToldBot extends TroubledBot {
  readonly bot_id: string;
  readonly bot_name: string;
  readonly succeeded: number;
  readonly overdue: number;
  readonly lastError?: LastError | undefined;
}

export interface LastError {
  /** The gist of its message; '' if it has none. */
  readonly text: string;
  readonly at: number;
  readonly jobId: string;
}

export interface SummarisedBot extends ToldBot {
  readonly executing: number;
  /** Ids of jobs. */
  readonly jobs: readonly string[];
}

export interface DigestedBot extends ToldBot {
  /** Whether a delivery of the BOT is held now. */
  readonly is_muted: boolean;
  /** 1: the BOT has an open incident, even if nothing came of it since the last digest; else 0. */
  readonly open: number;
}

interface ToldBots<Bot> {
  readonly since: number;
  /** The BOTs with the most trouble, the worst first. */
  readonly bots: readonly Bot[];
  readonly moreBots: number;
  /** Of all BOTs. */
  readonly errors: number;
  readonly missed: number;
  readonly overdue: number;
}

/** Most BOTs that a message names; the others are counted. */
const MOST_BOTS = 50;

export interface TroubledBot {
  readonly errors: number;
  readonly missed: number;
  readonly overdue?: number;
  readonly open?: number;
}

/** A BOT's errors, missed results, overdue jobs and open incidents. */
export function troubleOf({ errors, missed, overdue = 0, open = 0 }: TroubledBot): number {
  return errors + missed + overdue + open;
}

export function mostTroubled<Bot extends ToldBot>(bots: readonly Bot[]): Omit<ToldBots<Bot>, 'since'> {
  const worstFirst = bots.toSorted((a, b) => troubleOf(b) - troubleOf(a));
  const sum = (key: 'errors' | 'missed' | 'overdue') => bots.reduce((total, bot) => total + bot[key], 0);
  const named = { bots: worstFirst.slice(0, MOST_BOTS), moreBots: Math.max(0, bots.length - MOST_BOTS) };
  return { ...named, errors: sum('errors'), missed: sum('missed'), overdue: sum('overdue') };
}

/** Alerts to Botbell's operators, by template. */
interface Alerts {
  /** The message is not attempted any more. */
  readonly dead_letter: UndeliveredMessage;
  /** The config must be fixed; Botbell keeps retrying until `givesUpAt`. */
  readonly config_failure: UndeliveredMessage & { readonly givesUpAt: number };
  readonly refused: {
    readonly httpStatus: number;
    /** Botbell's own English sentences. */
    readonly detail: string;
    readonly errors: readonly CallbackError[];
    readonly from: string;
  };
  /** A config that was not put in force: the one before stays. */
  readonly reload_refused: {
    readonly file: string;
    /** The first problems, as `file:line:col: what is wrong`. */
    readonly problems: readonly string[];
    readonly moreProblems: number;
  };
  /** The store cannot be written, so this alert is sent without it. */
  readonly store_unwritable: { readonly since: number; readonly reason: string };
}

/** What Botbell's own notices are about, by template: alerts, and notices of BOTs. */
interface OwnSubjects extends Alerts {
  /** Somebody has taken up incidents. */
  readonly taken_up: ToldTroubles & { readonly by: string; readonly because: string };
  /** The trouble that an alert told of has ended. */
  readonly over: ToldTroubles & {
    /** Of a store that could not be written: how many callbacks were answered 503 meanwhile, and of which BOTs. */
    readonly answered?: { readonly count: number; readonly bots: readonly string[] } | undefined;
  };
  /** A message that is only sent to see whether it arrives. */
  readonly test: {
    /** `<channel>:<address>` */
    readonly destination: string;
    readonly channel: string;
    /** Who had it sent; '' if not known. */
    readonly askedBy: string;
  };
  /** A result that was due and did not come. */
  readonly missed: {
    readonly botId: string;
    /** '' if no callback of the BOT has come yet. */
    readonly botName: string;
    readonly dueAt: number;
    /** Undefined: none has come yet. */
    readonly lastResultAt: number | undefined;
  };
  /** One message for all that a rule held at a destination. `count`: how many messages those are. */
  readonly summary: ToldBots<SummarisedBot> & {
    readonly destination: string;
    readonly reason: string;
    readonly count: number;
    /** When the last of them came. */
    readonly lastAt: number;
  };
  /** What a group's BOTs did since the last digest; sent even if all is well. */
  readonly digest: ToldBots<DigestedBot> & {
    readonly group: string;
    /** How many of the BOTs have an open incident. */
    readonly open: number;
    readonly doubts: readonly CalendarDoubt[];
  };
  /** What BOTs did in a period, in days; sent even if nothing ran. */
  readonly report: ToldReport;
  /** `passed`: the percentage of a month's running time that is used by now. */
  readonly budget: BudgetStanding & { readonly passed: number };
}

const FOR_OPERATORS = [
  'dead_letter',
  'config_failure',
  'refused',
  'reload_refused',
  'store_unwritable',
  'test',
  'taken_up',
  'over',
] as const;

export const OWN_NAMES = [...FOR_OPERATORS, 'missed', 'summary', 'report', 'budget'] as const;

/** The template of a notice of Botbell's own. */
export type OwnTemplate = (typeof OWN_NAMES)[number];

export type OwnName = OwnTemplate | 'digest';

export type OwnSubject<Name extends OwnName = OwnName> = {
  readonly [Each in Name]: OwnSubjects[Each] & { readonly template: Each };
}[Name];

export type AlertSubject = OwnSubject<keyof Alerts>;

/** A notice of Botbell's own, due when it was raised. */
export interface RaisedAlert {
  /** A SHA-256 in 64 hexadecimal digits, unique to this notice. */
  readonly id: string;
  readonly raisedAt: number;
  /** How many alerts of the same cause were not sent, since the last one had been sent less than an hour before. */
  readonly suppressed: number;
  readonly subject: OwnSubject;
}

/** Why a callback has another template than its status's: a rule decided so, or its run is overdue. */
export type NoticeVariant =
  NonNullable<Telling['occasion']> | { readonly template: 'overdue'; readonly runningForMs: number };

const OCCASIONS = ['recovered', 'late', 'overdue'] as const satisfies readonly NoticeVariant['template'][];

/** Each has a file `<name>.yaml` in every template set and format. */
export const TEMPLATE_NAMES = [...ALL_STATUSES, ...OCCASIONS, ...OWN_NAMES] as const;

export type TemplateName = (typeof TEMPLATE_NAMES)[number];

export interface CallbackNotice
  extends CheckedCallback, Pick<Telling, 'heldBack' | 'heldSince' | 'incident' | 'escalated'> {
  readonly template: Exclude<TemplateName, OwnTemplate>;
  /** 1 for the first time this callback was received, 2 for the service's first retry, … */
  readonly timesReceived: number;
  /** Milliseconds since it came, if a person has it delivered late; otherwise left out. */
  readonly delayedMs?: number | undefined;
  readonly occasion?: NoticeVariant | undefined;
  /** Of a callback that `afterRendering` has reduced: the result of `identityOf`. Of an overdue run: the notice's own. */
  readonly identity?: string | undefined;
}

export interface AlertNotice extends Pick<Telling, 'heldSince' | 'incident' | 'repliesTo' | 'escalated'> {
  readonly template: OwnTemplate;
  readonly alert: RaisedAlert;
}

export type Notice = CallbackNotice | AlertNotice;

export function noticeOf(
  { callback, startedAt }: CheckedCallback,
  timesReceived: number,
  occasion?: NoticeVariant,
): CallbackNotice {
  const template = occasion?.template ?? statusNameOf(callback);
  return { template, callback, startedAt, timesReceived, occasion };
}

export function noticeOfAlert(alert: RaisedAlert): AlertNotice {
  const { template } = alert.subject;
  return { template: template === 'digest' ? 'report' : template, alert };
}

export function isAlert(notice: Notice): notice is AlertNotice {
  return 'alert' in notice;
}

export function withTelling(notice: Notice, telling: Telling | undefined): Notice {
  if (telling === undefined) return notice;
  if (isAlert(notice)) return { ...notice, ...telling };
  return { ...notice, template: telling.occasion?.template ?? notice.template, ...telling };
}

/** The notice with only what is needed of its callback once its messages are made, since a callback may take megabytes. */
export function afterRendering(notice: Notice): Notice {
  if (isAlert(notice)) return notice;
  return { ...notice, callback: namesOf(notice.callback), identity: noticeId(notice) };
}

/** Whether it is an alert to Botbell's operators, or a test: if it cannot be delivered, no alert is raised. */
export function isForOperators({ template }: Notice): boolean {
  return FOR_OPERATORS.some((name) => name === template);
}

/** The callback or BOT that the notice is about; names that it does not have are ''. */
export function aboutOf(notice: Notice): AlertedCallback {
  if (!isAlert(notice)) return notice.callback;
  const { subject } = notice.alert;
  if ('callback' in subject) return subject.callback;
  const [bot_id, bot_name] = subject.template === 'missed' ? [subject.botId, subject.botName] : ['', ''];
  return { job_id: '', bot_id, bot_name, status: 1 };
}

const GOOD_NEWS: ReadonlySet<string> = new Set(['summary', 'report', 'test', 'taken_up', 'over']);

export function labelsOf(notice: Notice): Labels {
  const { bot_id: bot } = aboutOf(notice);
  const { template } = notice;
  if (isAlert(notice)) return { bot, status: template, isError: !GOOD_NEWS.has(template) };
  if (template === 'overdue') return { bot, status: template, isError: true };
  return { bot, status: statusNameOf(notice.callback), isError: notice.callback.status === 1 };
}

/** Identifies the notice: the same in every attempt. */
export function noticeId(notice: Notice): string {
  if (isAlert(notice)) return notice.alert.id;
  return notice.identity ?? identityOf(notice.callback);
}

export function jobIdOf(notice: Notice): string | undefined {
  return aboutOf(notice).job_id || undefined;
}
