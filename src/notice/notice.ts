/** What is told: by which template, and what it is about, a callback or, as data, what became of a message. Times are milliseconds since 1970. */
import {
  ALL_STATUSES,
  type Callback,
  type CallbackError,
  type CheckedCallback,
  identityOf,
  type StatusCode,
  statusNameOf,
} from '../callback/callback.ts';
import type { FailureToExplain } from '../channels/failure.ts';
import type { Telling } from '../signal/decide.ts';

/** A callback as an alert names it. */
export interface AlertedCallback extends Pick<Callback, 'job_id' | 'bot_id' | 'bot_name'> {
  readonly status: StatusCode;
}

/** A message that could not be delivered, or cannot be for now. */
interface UndeliveredMessage {
  /** `<channel>:<address>` */
  readonly destination: string;
  readonly channel: string;
  readonly error: FailureToExplain;
  readonly attempts: number;
  readonly callback: AlertedCallback;
  /** Under which the ledger has it. */
  readonly callbackId: number;
  /** When the callback came for the first time. */
  readonly since: number;
}

/** A BOT among others, as templates see it. */
export interface ToldBot {
  readonly bot_id: string;
  readonly bot_name: string;
  readonly succeeded: number;
  readonly errors: number;
  /** Ids. */
  readonly jobs: readonly string[];
}

export interface DigestedBot extends Omit<ToldBot, 'jobs'> {
  readonly missed: number;
  /** Something of it is held back now. */
  readonly is_muted: boolean;
}

/** What is said of several BOTs at once. */
interface ToldBots<Bot> {
  readonly since: number;
  /** Those with most trouble first. */
  readonly bots: readonly Bot[];
  /** How many there are beside these. */
  readonly moreBots: number;
}

/** What is named of several BOTs; the rest is counted. */
const MOST_BOTS = 50;

/** @param troubleOf in errors and the like */
export function mostTroubled<Bot>(
  bots: readonly Bot[],
  troubleOf: (bot: Bot) => number,
): Omit<ToldBots<Bot>, 'since'> {
  const worstFirst = bots.toSorted((a, b) => troubleOf(b) - troubleOf(a));
  return { bots: worstFirst.slice(0, MOST_BOTS), moreBots: Math.max(0, bots.length - MOST_BOTS) };
}

/** What Botbell's operators are alerted of, by the template that tells it. */
interface Alerts {
  /** No further attempts. */
  readonly dead_letter: UndeliveredMessage;
  /** Wrong until someone fixes it; Botbell keeps retrying until `givesUpAt`. */
  readonly config_failure: UndeliveredMessage & { readonly givesUpAt: number };
  /** A body that no retry can make acceptable. */
  readonly refused: {
    /** HTTP status code of the answer. */
    readonly httpStatus: number;
    /** English sentences of ours. */
    readonly detail: string;
    readonly errors: readonly CallbackError[];
    /** The sender's address. */
    readonly from: string;
  };
  /** A config that is not put in force: the last good one stays. */
  readonly reload_refused: {
    /** The config's. */
    readonly file: string;
    /** `file:line:col: what is wrong`, the first of them. English. */
    readonly problems: readonly string[];
    /** How many there are further. */
    readonly moreProblems: number;
  };
}

/** What Botbell tells on its own account. */
interface OwnSubjects extends Alerts {
  /** A message that is only sent to see whether it arrives. */
  readonly test: {
    /** `<channel>:<address>` */
    readonly destination: string;
    readonly channel: string;
    /** Who had it sent; '' where that is not known. */
    readonly askedBy: string;
  };
  /** A result that was due, and did not come. */
  readonly missed: {
    readonly botId: string;
    /** '' where no callback of it has come yet. */
    readonly botName: string;
    readonly dueAt: number;
    /** Undefined: none has come yet. */
    readonly lastResultAt: number | undefined;
  };
  /** What was held back at a destination, by a rule, told as one. `count`: of messages. */
  readonly summary: ToldBots<ToldBot> & {
    readonly destination: string;
    readonly reason: string;
    readonly count: number;
  };
  /** What ran since the last one, also when all is well. */
  readonly digest: ToldBots<DigestedBot> & { readonly group: string };
}

const OWN_NAMES = [
  'dead_letter',
  'config_failure',
  'refused',
  'reload_refused',
  'missed',
  'summary',
  'digest',
  'test',
] as const satisfies readonly (keyof OwnSubjects)[];

export type OwnName = (typeof OWN_NAMES)[number];

export type OwnSubject<Name extends OwnName = OwnName> = {
  readonly [Each in Name]: OwnSubjects[Each] & { readonly template: Each };
}[Name];

export type AlertSubject = OwnSubject<keyof Alerts>;

/** What Botbell tells by itself, due to be told when it was raised. */
export interface RaisedAlert {
  /** SHA-256, 64 hexadecimal digits: no other alert has the same. */
  readonly id: string;
  readonly raisedAt: number;
  /** How many of the same cause were not told, because the last one had been told less than an hour before. */
  readonly suppressed: number;
  readonly subject: OwnSubject;
}

/** Why a callback is told by another template than its status': by a rule, or since it has been executing for too long. */
export type Occasion =
  NonNullable<Telling['occasion']> | { readonly template: 'overdue'; readonly runningForMs: number };

const OCCASIONS = ['recovered', 'late', 'overdue'] as const satisfies readonly Occasion['template'][];

/** Of each there is a file `<name>.yaml` in each template set and format. */
export const TEMPLATE_NAMES = [...ALL_STATUSES, ...OCCASIONS, ...OWN_NAMES] as const;

export type TemplateName = (typeof TEMPLATE_NAMES)[number];

export interface CallbackNotice extends CheckedCallback {
  readonly template: Exclude<TemplateName, OwnName>;
  /** 1 for the first time this callback was received, 2 for the service's first retry, … */
  readonly timesReceived: number;
  /** Milliseconds since it came, where a person has it told so late; left out: it is told as it comes. */
  readonly delayedMs?: number | undefined;
  /** Left out: it is told by its status' template. */
  readonly occasion?: Occasion | undefined;
  /** How many errors before this one were not told. */
  readonly heldBack?: number | undefined;
}

interface AlertNotice {
  readonly template: OwnName;
  readonly alert: RaisedAlert;
}

export type Notice = CallbackNotice | AlertNotice;

export function noticeOf(
  { callback, startedAt }: CheckedCallback,
  timesReceived: number,
  occasion?: Occasion,
): CallbackNotice {
  const template = occasion?.template ?? statusNameOf(callback);
  return { template, callback, startedAt, timesReceived, occasion };
}

export function noticeOfAlert(alert: RaisedAlert): AlertNotice {
  return { template: alert.subject.template, alert };
}

export function isAlert(notice: Notice): notice is AlertNotice {
  return 'alert' in notice;
}

export function toldSo(notice: Notice, telling: Telling | undefined): Notice {
  if (telling === undefined || isAlert(notice)) return notice;
  return { ...notice, template: telling.occasion?.template ?? notice.template, ...telling };
}

/** Whether it tells the operators of Botbell, or is a test: of what cannot be delivered of it, nobody is alerted. */
export function isForOperators({ template }: Notice): boolean {
  const isOfBots = template === 'missed' || template === 'summary' || template === 'digest';
  return !isOfBots && OWN_NAMES.some((name) => name === template);
}

/** The callback, or what is named of one, or of a BOT; '' where it concerns none. */
export function aboutOf(notice: Notice): AlertedCallback {
  if (!isAlert(notice)) return notice.callback;
  const { subject } = notice.alert;
  if ('callback' in subject) return subject.callback;
  const [bot_id, bot_name] = subject.template === 'missed' ? [subject.botId, subject.botName] : ['', ''];
  return { job_id: '', bot_id, bot_name, status: 1 };
}

/** The same for every attempt to tell the same. */
export function noticeId(notice: Notice): string {
  if (isAlert(notice)) return notice.alert.id;
  const identity = identityOf(notice.callback);
  return notice.template === 'overdue' ? `${identity} overdue` : identity;
}

/** The job that it concerns; undefined where there is none. */
export function jobIdOf(notice: Notice): string | undefined {
  return aboutOf(notice).job_id || undefined;
}
