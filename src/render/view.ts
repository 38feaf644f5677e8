/** The variables that templates see of a notice, as plain data in one language: a callback's fields, or those of an alert. */
import { elapsedSecondsOf, statusNameOf } from '../callback/callback.ts';
import { faultIn } from '../callback/fault-words.ts';
import { failureInWords } from '../channels/failure.ts';
import { botNameOf, botNamesOf } from '../channels/value-text.ts';
import type { DisplayConfig } from '../config/config.ts';
import { calledOf, SIGN_WORDS } from '../incident/incident.ts';
import { storeTroubleIn } from '../incident/store-trouble.ts';
import {
  type AlertedCallback,
  type AlertNotice,
  type AlertSubject,
  type CallbackNotice,
  isAlert,
  type Notice,
  type NoticeVariant,
  type OwnSubject,
  type TroubledBot,
  troubleOf,
} from '../notice/notice.ts';
import { dateOf, DAY_MS } from '../signal/calendar.ts';
import { escapeUrlPart, wholeUrl } from '../text/clean.ts';
import { gistIn } from '../text/gist.ts';
import { formatAge, formatElapsed, formatTimeOfDay, isKnownInstant } from '../time/display.ts';
import { budgetView, doubtsText, reportView } from './report-view.ts';
import { fit, inline, type LinkedView } from './filters.ts';
import { botsView } from './told-bots.ts';
import type { Links } from './links.ts';
import { lazily, viewOutputs } from './outputs.ts';
import { ifAny, localTime, noteOf, SAY } from './phrases.ts';

export interface NoticeView extends Omit<LinkedView, 'bots'> {
  readonly [name: string]: unknown;
  readonly bots?: readonly TroubledBot[];
}

export function viewOf(notice: Notice, display: DisplayConfig, links: Links): NoticeView {
  const view = isAlert(notice) ? ownView(notice, display, links) : callbackView(notice, display, links);
  const { incident, incident_url } = incidentView(notice.incident, display);
  const { job_url = '' } = view;
  const say = SAY[display.language];
  const [link_text, link_url] =
    job_url === '' ? [say('openIncident'), incident_url] : [say('openJob'), job_url];
  return Object.assign(view, { incident, incident_url, link_text, link_url });
}

function callbackView(notice: CallbackNotice, display: DisplayConfig, links: Links): NoticeView {
  const { callback, startedAt, timesReceived, delayedMs, occasion, heldBack = 0, heldSince } = notice;
  const { language } = display;
  const { code, job_id, bot_id, bot_name, status, start_time } = callback;
  const { elapsed_time = null, output = null, message = null } = callback;
  const seconds = elapsedSecondsOf(callback);
  const said = lazily(() => gistIn(message ?? ''));
  // Members are named one by one: if a spread made the object, Liquid's reads of it would cost a fifth more.
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
    name: botNameOf(bot_name, bot_id, LONGEST_NAME),
    gist: () => said().gist,
    cause: () => (said().gist === '' ? SAY[language]('silent') : said().isBelow ? said().gist : ''),
    note: noteOf(notice, display, status === 1 ? heldBack : 0),
    elapsed: seconds === undefined ? '' : formatElapsed(seconds, language),
    delayed_by: delayedMs === undefined ? '' : formatAge(delayedMs, language),
    held_back: heldBack,
    held_since: localTime(heldSince, display),
    job_url: '',
    page_url: job_id === '' ? '' : urlOfPage(() => `callbacks?job_id=${escapeUrlPart(job_id)}`, display),
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

/** Characters of a name within a sentence, and of why something failed. */
const LONGEST_NAME = 80;
const LONGEST_REASON = 600;

function occasionView(occasion: NoticeVariant, startedAt: number, display: DisplayConfig): NoticeView {
  if (occasion.template === 'overdue') {
    const running_for = isKnownInstant(startedAt) ? durationOf(occasion.runningForMs, display) : '';
    return { running_for };
  }
  if (occasion.template === 'late') {
    const { dueAt, lateByMs } = occasion;
    return { due_at: localTime(dueAt, display), late_by: durationOf(lateByMs, display) };
  }
  const { failingSince, failingForMs, failures } = occasion;
  const isKnown = isKnownInstant(startedAt) && isKnownInstant(failingSince);
  const failing_for = isKnown ? durationOf(failingForMs, display) : '';
  return { failing_since: localTime(failingSince, display), failing_for, failures };
}

function ownView(
  { alert, heldSince, escalated }: AlertNotice,
  display: DisplayConfig,
  links: Links,
): NoticeView {
  const { subject, raisedAt, suppressed } = alert;
  const time = (ms: number | undefined) => localTime(ms, display);
  const page_url = urlOfPage(() => pageOf(subject), display);
  if (isAlertSubject(subject)) {
    const note = ifAny(suppressed, 'same', display.language);
    const viewed = ALERTS[subject.template] as ViewOf<AlertSubject>;
    const raised = { alert_name: subject.template, raised_at: time(raisedAt), suppressed, page_url, note };
    return { ...raised, ...viewed(subject, display, links) };
  }
  const urlOfJob: Parameters<typeof botsView>[2] = ({ lastError, ...bot }) =>
    jobView({ ...bot, job_id: lastError?.jobId ?? '', status: 1 }, links).job_url;
  const bots = (of: Parameters<typeof botsView>[0]) => ({
    ...botsView(of, { ...display, now: raisedAt }, urlOfJob),
    note: ifAny(of.moreBots, 'unnamed', display.language),
  });
  switch (subject.template) {
    case 'test': {
      const { destination, channel, askedBy } = subject;
      return { destination, channel, asked_by: askedBy, sent_at: time(raisedAt) };
    }
    case 'missed': {
      const { botId: bot_id, botName: bot_name, dueAt, lastResultAt } = subject;
      const times = { due_at: time(dueAt), last_result_at: time(lastResultAt), held_since: time(heldSince) };
      const name = botNameOf(bot_name, bot_id, LONGEST_NAME);
      return { bot_id, bot_name, name, note: noteOf({ heldSince, escalated }, display), ...times };
    }
    case 'digest': {
      const doubts = doubtsText(subject.doubts, display.language);
      return { group: subject.group, doubts, ...bots(subject), since: time(subject.since), page_url };
    }
    case 'summary': {
      const { reason, count } = subject;
      return { ...spanView(subject, display), page_url, ...bots(subject), reason, count };
    }
    case 'report':
      return { ...reportView(subject, display), page_url };
    case 'budget':
      return { ...budgetView(subject, display), page_url };
    case 'taken_up':
      return { ...troublesView(subject, display), by: subject.by, because: subject.because, page_url };
    case 'over':
      return { ...troublesView(subject, display), page_url, ...answeredView(subject) };
  }
}

/** `last_at` equals `since` if both are in the same minute. */
function spanView({ since, lastAt }: OwnSubject<'summary'>, display: DisplayConfig) {
  const shortly = (at: number) => formatTimeOfDay(at, { ...display, now: since });
  const from = localTime(since, display);
  return { since: from, last_at: shortly(lastAt) === shortly(since) ? from : shortly(lastAt) };
}

type ViewOf<Subject> = (subject: Subject, display: DisplayConfig, links: Links) => NoticeView;

const ALERTS: { readonly [Name in AlertSubject['template']]: ViewOf<OwnSubject<Name>> } = {
  store_unwritable: ({ since, reason }, display) => ({
    since: localTime(since, display),
    reason: storeTroubleIn(reason, display.language),
  }),
  refused: refusedView,
  reload_refused: ({ file: config_file, problems, moreProblems: more_problems }) => ({
    config_file,
    reason: problems[0] ?? '',
    problems,
    more_problems,
  }),
  dead_letter: undeliveredView,
  config_failure: undeliveredView,
};

function isAlertSubject(subject: OwnSubject): subject is AlertSubject {
  return subject.template in ALERTS;
}

/** BOTs that the end of an outage names. */
const MOST_NAMED = 20;

function answeredView({ answered }: OwnSubject<'over'>) {
  const { count: unanswered = 0, bots = [] } = answered ?? {};
  const unanswered_bots = bots.slice(0, MOST_NAMED).map((id) => inline(id));
  return { unanswered, unanswered_bots, more_unanswered_bots: Math.max(0, bots.length - MOST_NAMED) };
}

/** `what`: the latest sign, in a word. */
function troublesView({ troubles, moreTroubles }: OwnSubject<'taken_up' | 'over'>, display: DisplayConfig) {
  const named = troubles.map((each) => ({ bot_id: each.subject, bot_name: calledOf(each) }));
  const names = named.map(botNamesOf(named, LONGEST_NAME));
  const shown = troubles.map(({ kind, sign, gist, since, count, late = 0, lost = 0 }, index) => ({
    name: names[index] ?? '',
    kind,
    what: SIGN_WORDS[sign][display.language],
    gist,
    since: localTime(since, display),
    count,
    late,
    lost,
  }));
  return { incidents: shown, more_incidents: moreTroubles };
}

/** The address of a page; '' if no URL of the page is configured. */
function urlOfPage(page: () => string, { pageUrl }: DisplayConfig): string {
  return pageUrl === undefined ? '' : (wholeUrl(`${pageUrl.replace(/\/+$/, '')}/${page()}`) ?? '');
}

/** Both are '' if there is no page to link to. */
function incidentView(id: number | undefined, display: DisplayConfig) {
  const incident_url = id === undefined ? '' : urlOfPage(() => `incidents/${id}`, display);
  return { incident: incident_url === '' ? '' : String(id), incident_url };
}

/** The path of the page about a subject; '' for the overview. */
function pageOf(subject: OwnSubject): string {
  if ('troubles' in subject) {
    const [first, ...others] = subject.troubles;
    if (subject.troubles.some(({ lost = 0 }) => lost > 0)) return 'dead';
    return first === undefined || others.length > 0 ? '' : `incidents/${first.id}`;
  }
  if ('callbackId' in subject) return `callbacks/${subject.callbackId}`;
  const { template } = subject;
  if (template === 'report')
    return `reports?${new URLSearchParams({ from: dateOf(subject.from), to: dateOf(subject.to - DAY_MS) })}`;
  if (template === 'budget') return 'reports';
  if (template === 'summary' && troubleOf(subject) === 0)
    return `callbacks?${new URLSearchParams({ destination: subject.destination })}`;
  return template === 'refused' ? template : template === 'reload_refused' ? 'config' : '';
}

function undeliveredView(
  subject: OwnSubject<'dead_letter' | 'config_failure'>,
  display: DisplayConfig,
  links: Links,
): NoticeView {
  const { destination, channel, error, attempts, callback, since } = subject;
  const isLeftToPeople = error.class === 'config' && error.mayHaveArrived === true;
  return {
    destination,
    channel,
    error_class: error.class,
    error_code: error.code,
    name: botNameOf(callback.bot_name, callback.bot_id, LONGEST_NAME),
    reason: fit(inline(failureInWords(error, display.language)), LONGEST_REASON),
    attempts,
    since: localTime(since, display),
    gives_up_at: 'givesUpAt' in subject && !isLeftToPeople ? localTime(subject.givesUpAt, display) : '',
    ...jobView(callback, links),
  };
}

/** @param callback its job_id is empty if the notice is about no job */
function jobView({ job_id, bot_id, bot_name, status }: AlertedCallback, links: Links) {
  const fields = { job_id, bot_id, bot_name, status, status_name: statusNameOf({ status }) };
  return { ...fields, job_url: job_id === '' ? '' : links.job(fields) };
}

/** Faults of a refused body that an alert lists. */
const MOST_FAULTS = 5;

function refusedView(
  { httpStatus, detail, errors, from }: OwnSubject<'refused'>,
  { language }: DisplayConfig,
): NoticeView {
  const faults = errors
    .slice(0, MOST_FAULTS)
    .map(({ pointer, detail: fault }) => `${pointer} ${faultIn(fault, language)}`.trim());
  return {
    http_status: httpStatus,
    reason: faultIn(detail, language),
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
