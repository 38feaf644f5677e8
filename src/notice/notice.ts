/** What is told: by which template, and what it is about, a callback or, as data, what became of a message. */
import {
  ALL_STATUSES,
  type Callback,
  type CallbackError,
  type CheckedCallback,
  identityOf,
  type StatusCode,
  type StatusName,
  statusNameOf,
} from '../callback/callback.ts';
import type { FailureToExplain } from '../channels/failure.ts';

/** A callback as an alert names it. */
export interface AlertedCallback extends Pick<Callback, 'job_id' | 'bot_id' | 'bot_name'> {
  readonly status: StatusCode;
}

/** A message that could not be delivered, or cannot be for now. Times are milliseconds since the epoch. */
export interface UndeliveredMessage {
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

/** A body that no retry can make acceptable. */
export interface RefusedMessage {
  /** HTTP status code of the answer. */
  readonly httpStatus: number;
  /** English sentences of ours. */
  readonly detail: string;
  readonly errors: readonly CallbackError[];
  /** The sender's address. */
  readonly from: string;
}

/** A config that is not put in force. */
export interface RefusedReload {
  /** The config's. */
  readonly file: string;
  /** `file:line:col: what is wrong`, the first of them. English. */
  readonly problems: readonly string[];
  /** How many there are further. */
  readonly moreProblems: number;
}

/** What an alert is about, by the template that tells it. */
export type AlertSubject =
  /** No further attempts. */
  | (UndeliveredMessage & { readonly template: 'dead_letter' })
  /** Wrong until someone fixes it; Botbell keeps retrying until `givesUpAt`. */
  | (UndeliveredMessage & { readonly template: 'config_failure'; readonly givesUpAt: number })
  | (RefusedMessage & { readonly template: 'refused' })
  /** The last good config stays in force. */
  | (RefusedReload & { readonly template: 'reload_refused' });

export type AlertName = AlertSubject['template'];

/** A message that is only sent to see whether it arrives. */
export interface TestSubject {
  readonly template: 'test';
  /** `<channel>:<address>` */
  readonly destination: string;
  readonly channel: string;
  /** Who had it sent; '' where that is not known. */
  readonly askedBy: string;
}

/** A result that was due, and did not come. */
export interface MissedResult {
  readonly template: 'missed';
  readonly botId: string;
  /** '' where no callback of it has come yet. */
  readonly botName: string;
  readonly dueAt: number;
  /** Undefined: none has come yet. */
  readonly lastResultAt: number | undefined;
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

/** What was held back at a destination, told as one. */
export interface HeldMessages {
  readonly template: 'summary';
  readonly destination: string;
  /** The rule that held it. */
  readonly reason: string;
  readonly since: number;
  /** Of messages. */
  readonly count: number;
  /** Those with most errors first. */
  readonly bots: readonly ToldBot[];
  /** How many there are beside these. */
  readonly moreBots: number;
}

/** What ran since the last one, also when all is well. */
export interface DigestNotice {
  readonly template: 'digest';
  readonly group: string;
  readonly since: number;
  /** Those with most trouble first. */
  readonly bots: readonly DigestedBot[];
  readonly moreBots: number;
}

export interface DigestedBot extends Omit<ToldBot, 'jobs'> {
  readonly missed: number;
  /** Something of it is held back now. */
  readonly is_muted: boolean;
}

/** What Botbell tells by itself of BOTs. Times are milliseconds since the epoch. */
export type BotSubject = MissedResult | HeldMessages | DigestNotice;

/** What Botbell tells on its own account. */
export type OwnSubject = AlertSubject | BotSubject | TestSubject;

export type OwnName = OwnSubject['template'];

/** As keys, so that none is forgotten. */
const OWN = {
  dead_letter: true,
  config_failure: true,
  refused: true,
  reload_refused: true,
  missed: true,
  summary: true,
  digest: true,
  test: true,
} as const satisfies Readonly<Record<OwnName, true>>;

/** An alert that was due to be told when it was raised. Times are milliseconds since the epoch. */
export interface RaisedAlert<Subject extends OwnSubject = AlertSubject> {
  /** SHA-256, 64 hexadecimal digits: no other alert has the same. */
  readonly id: string;
  readonly raisedAt: number;
  /** How many of the same cause were not told, because the last one had been told less than an hour before. */
  readonly suppressed: number;
  readonly subject: Subject;
}

/** Why a callback is told by another template than its status'. Times are milliseconds since the epoch. */
export type Occasion =
  /** The first success after errors. */
  | { readonly template: 'recovered'; readonly failingSince: number; readonly failures: number }
  /** A result that comes after it was due and missed. */
  | { readonly template: 'late'; readonly dueAt: number; readonly lateByMs: number }
  /** It has been executing for too long. */
  | { readonly template: 'overdue'; readonly runningForMs: number };

type OccasionName = Occasion['template'];

const OCCASIONS = ['recovered', 'late', 'overdue'] as const satisfies readonly OccasionName[];

/** A file `<name>.yaml` in each template set and format. */
export type TemplateName = StatusName | OccasionName | OwnName;

export const TEMPLATE_NAMES: readonly TemplateName[] = [
  ...ALL_STATUSES,
  ...OCCASIONS,
  ...(Object.keys(OWN) as OwnName[]),
];

export interface CallbackNotice extends CheckedCallback {
  readonly template: StatusName | OccasionName;
  /** 1 for the first time this callback was received, 2 for the service's first retry, … */
  readonly timesReceived: number;
  /** Milliseconds since it came, where a person has it told so late; left out: it is told as it comes. */
  readonly delayedMs?: number | undefined;
  /** Left out: it is told by its status' template. */
  readonly occasion?: Occasion | undefined;
  /** How many errors before this one were not told. */
  readonly heldBack?: number | undefined;
}

/** Botbell's own: an alert, what it tells of BOTs, or a test. */
interface AlertNotice {
  readonly template: OwnName;
  readonly alert: RaisedAlert<OwnSubject>;
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

export function noticeOfAlert(alert: RaisedAlert<OwnSubject>): AlertNotice {
  return { template: alert.subject.template, alert };
}

export function isAlert(notice: Notice): notice is AlertNotice {
  return 'alert' in notice;
}

/** How a callback is told by more than its status. */
export type Telling = Pick<CallbackNotice, 'occasion' | 'heldBack'>;

export function toldSo(notice: Notice, telling: Telling | undefined): Notice {
  if (telling === undefined || isAlert(notice)) return notice;
  return { ...notice, template: telling.occasion?.template ?? notice.template, ...telling };
}

/** Whether it tells the operators of Botbell, or is a test: of what cannot be delivered of it, nobody is alerted. */
export function isForOperators(notice: Notice): boolean {
  if (!isAlert(notice)) return false;
  const { template } = notice;
  return template !== 'missed' && template !== 'summary' && template !== 'digest';
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
  if (!isAlert(notice)) return notice.callback.job_id;
  const { subject } = notice.alert;
  return 'callback' in subject ? subject.callback.job_id : undefined;
}
