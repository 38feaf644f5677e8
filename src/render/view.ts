/** The variables that templates see of a notice, as plain data in one language: a callback's fields, or those of an alert. */
import { elapsedSecondsOf, statusNameOf } from '../callback/callback.ts';
import { refusalInJapanese } from '../callback/fault-words.ts';
import type { OutputView } from '../channels/card.ts';
import { failureInWords } from '../channels/failure.ts';
import type { DisplayConfig } from '../config/config.ts';
import {
  type AlertNotice,
  type AlertSubject,
  type CallbackNotice,
  isAlert,
  type Notice,
  type Occasion,
  type OwnSubject,
} from '../notice/notice.ts';
import { botsView } from './bots-view.ts';
import { formatAge, formatElapsed, formatInstant, isKnownInstant } from '../time/display.ts';
import type { Links } from './links.ts';
import { lazily, viewOutputs } from './outputs.ts';

/** The template's variables by name. */
export interface NoticeView {
  readonly [name: string]: unknown;
  readonly job_url?: string;
  readonly page_url?: string;
  /** liquidjs calls it when a template asks for the outputs, which a condition seldom does. */
  readonly outputs?: () => readonly OutputView[];
  readonly bots?: ReturnType<typeof botsView>['bots'];
}

export function viewOf(notice: Notice, display: DisplayConfig, links: Links): NoticeView {
  return isAlert(notice) ? ownView(notice, display, links) : callbackView(notice, display, links);
}

function callbackView(
  { callback, startedAt, timesReceived, delayedMs, occasion, heldBack = 0, heldSince }: CallbackNotice,
  display: DisplayConfig,
  links: Links,
): NoticeView {
  const { language } = display;
  const { code, job_id, bot_id, bot_name, status, start_time } = callback;
  const { elapsed_time = null, output = null, message = null } = callback;
  const seconds = elapsedSecondsOf(callback);
  const view: NoticeView & { job_url: string } = {
    code,
    job_id,
    bot_id,
    bot_name,
    status,
    start_time,
    elapsed_time,
    output,
    message,
    callback,
    status_name: statusNameOf(callback),
    attempt: timesReceived,
    started_at: localTime(startedAt, display),
    elapsed: seconds === undefined ? '' : formatElapsed(seconds, language),
    delayed_by: delayedMs === undefined ? '' : formatAge(delayedMs, language),
    held_back: heldBack,
    held_since: heldSince === undefined ? '' : localTime(heldSince, display),
    job_url: '',
    page_url: job_id === '' ? '' : urlOfPage(`callbacks?${new URLSearchParams({ job_id })}`, display),
    outputs: lazily(() =>
      viewOutputs(output, {
        urlOf: (file) => links.file(view, file),
        instantText: (ms) => localTime(ms, display),
      }),
    ),
  };
  if (job_id !== '') view.job_url = links.job(view);
  return occasion === undefined ? view : Object.assign(view, occasionView(occasion, startedAt, display));
}

function occasionView(occasion: Occasion, startedAt: number, display: DisplayConfig): NoticeView {
  if (occasion.template === 'overdue') {
    const running_for = isKnownInstant(startedAt) ? durationOf(occasion.runningForMs, display) : '';
    return { running_for };
  }
  if (occasion.template === 'late') {
    const { dueAt, lateByMs } = occasion;
    return { due_at: localTime(dueAt, display), late_by: durationOf(lateByMs, display) };
  }
  const { failingSince, failures } = occasion;
  const isKnown = isKnownInstant(startedAt) && isKnownInstant(failingSince);
  const failing_for = isKnown ? durationOf(startedAt - failingSince, display) : '';
  return { failing_since: localTime(failingSince, display), failing_for, failures };
}

function ownView(
  { alert: { subject, raisedAt, suppressed }, heldSince }: AlertNotice,
  display: DisplayConfig,
  links: Links,
): NoticeView {
  const at = localTime(raisedAt, display);
  if (subject.template === 'test') {
    const { destination, channel, askedBy } = subject;
    return { destination, channel, asked_by: askedBy, sent_at: at };
  }
  if (subject.template === 'missed') {
    const { botId: bot_id, botName: bot_name, dueAt, lastResultAt } = subject;
    const last_result_at = lastResultAt === undefined ? '' : localTime(lastResultAt, display);
    const held_since = heldSince === undefined ? '' : localTime(heldSince, display);
    return { bot_id, bot_name, due_at: localTime(dueAt, display), last_result_at, held_since };
  }
  if (subject.template === 'summary' || subject.template === 'digest') {
    const since = localTime(subject.since, display);
    const bots = botsView(subject, { ...display, now: raisedAt }, links);
    const told = { since, ...bots, page_url: pageUrlOf(subject, display) };
    if (subject.template === 'digest') return { ...told, group: subject.group };
    const { reason, count, lastAt } = subject;
    return { ...told, reason, count, last_at: localTime(lastAt, display) };
  }
  const page_url = pageUrlOf(subject, display);
  const common = { alert_name: subject.template, raised_at: at, suppressed, page_url };
  return { ...common, ...alertView(subject, display, links) };
}

type SubjectOfPage = AlertSubject | OwnSubject<'summary' | 'digest'>;

/** The address of the page about a subject; '' if no URL of the page is configured. */
function pageUrlOf(subject: SubjectOfPage, display: DisplayConfig): string {
  return urlOfPage(pageOf(subject), display);
}

function urlOfPage(page: string, { pageUrl }: DisplayConfig): string {
  return pageUrl === undefined ? '' : `${pageUrl.replace(/\/+$/, '')}/${page}`;
}

function pageOf(subject: SubjectOfPage): string {
  if ('callbackId' in subject) return `callbacks/${subject.callbackId}`;
  if (subject.template !== 'summary') return PAGES[subject.template];
  return `callbacks?${new URLSearchParams({ destination: subject.destination })}`;
}

const PAGES = { refused: 'refused', reload_refused: 'config', digest: '' };

function alertView(subject: AlertSubject, display: DisplayConfig, links: Links): NoticeView {
  if (subject.template === 'refused') return refusedView(subject, display);
  if (subject.template !== 'reload_refused') return undeliveredView(subject, display, links);
  const { file, problems, moreProblems } = subject;
  return { config_file: file, reason: problems[0] ?? '', problems, more_problems: moreProblems };
}

function undeliveredView(
  subject: OwnSubject<'dead_letter' | 'config_failure'>,
  display: DisplayConfig,
  links: Links,
): NoticeView {
  const { destination, channel, error, attempts, callback, since } = subject;
  const { job_id, bot_id, bot_name, status } = callback;
  const fields = { job_id, bot_id, bot_name, status, status_name: statusNameOf({ status }) };
  return {
    destination,
    channel,
    error_class: error.class,
    error_code: error.code,
    reason: failureInWords(error, display.language),
    attempts,
    since: localTime(since, display),
    gives_up_at: 'givesUpAt' in subject ? localTime(subject.givesUpAt, display) : '',
    ...fields,
    // The job_id is empty if the alert is about no job.
    job_url: job_id === '' ? '' : links.job(fields),
  };
}

/** Faults of a refused body that an alert lists. */
const MOST_FAULTS = 5;

function refusedView(
  { httpStatus, detail, errors, from }: OwnSubject<'refused'>,
  { language }: DisplayConfig,
): NoticeView {
  const faults = errors
    .slice(0, MOST_FAULTS)
    .map(({ pointer, detail: fault }) => `${pointer} ${fault}`.trim());
  return {
    http_status: httpStatus,
    reason: language === 'ja' ? refusalInJapanese(httpStatus, detail) : detail,
    faults,
    more_faults: errors.length - faults.length,
    sender: from,
  };
}

/** Shows seconds only below an hour. */
function durationOf(ms: number, { language }: DisplayConfig): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return formatElapsed(seconds < 3600 ? seconds : seconds - (seconds % 60), language);
}

function localTime(ms: number, { timezone, language }: DisplayConfig): string {
  return formatInstant(ms, timezone, language);
}
