/** Notices with which `check` renders templates. */
import { ALL_STATUSES, type StatusCode, type StatusName } from '../callback/callback.ts';
import {
  type Notice,
  noticeOf,
  noticeOfAlert,
  type NoticeVariant,
  type OwnName,
  type OwnSubject,
  type TemplateName,
} from '../notice/notice.ts';
import type { ToldTrouble } from '../incident/incident.ts';
import { NO_FIGURES } from '../report/figures.ts';
import { DAY_MS } from '../signal/calendar.ts';

const FULL = {
  code: 200,
  job_id: '5f0c1f7e-8a37-4a52-9f0e-2f9c5f5a7d01',
  bot_id: 'sample',
  bot_name: 'Sample BOT',
  start_time: '2026-01-02T03:04:05Z',
  elapsed_time: 3661,
  message: 'What happened, in\ntwo lines.',
  output: {
    count: '2',
    items: [{ name: 'one', price: '500', tags: ['a', 'b'] }, 'two'],
    report: {
      type: 'files',
      files: [
        {
          ref: 'jobs/5f0c1f7e/files/1',
          meta: { name: 'report.pdf', size: 1_048_576, timestamp: 1_760_000_000_000 },
        },
      ],
    },
  },
} as const;

const BARE = { ...FULL, elapsed_time: null, message: null, output: null } as const;

const CAME_AT = Date.parse(FULL.start_time);

const UNDELIVERED = {
  destination: 'channel:address',
  channel: 'channel',
  error: { class: 'config', code: 'sample_code', message: 'A sample of what a remote answers.' },
  attempts: 3,
  callback: { job_id: FULL.job_id, bot_id: FULL.bot_id, bot_name: FULL.bot_name, status: 1 },
  callbackId: 1,
  since: CAME_AT,
} as const;

const TOLD = {
  bot_id: 'b',
  bot_name: 'b',
  succeeded: 0,
  errors: 1,
  missed: 1,
  executing: 0,
  overdue: 1,
  jobs: ['j-1'],
  lastError: { text: 'What happened', at: CAME_AT, jobId: 'j-1' },
};

const TROUBLE: ToldTrouble = {
  id: 7,
  kind: 'bot',
  subject: 'b',
  name: 'BOT',
  sign: 'error',
  gist: 'What happened',
  since: CAME_AT,
  count: 2,
};

const DAY = Date.UTC(2026, 0, 1);

const REPORTED = { ...NO_FIGURES, runs: 3, unfinished: 1, errors: 1, incidents: 1, incidentMs: DAY_MS };

const BUDGET = {
  from: DAY,
  to: DAY + 31 * DAY_MS,
  budgetMs: 60 * 3_600_000,
  usedMs: 50 * 3_600_000,
  percent: 83,
  forecastMs: 70 * 3_600_000,
};

const SUBJECTS: { readonly [Name in OwnName]: Omit<OwnSubject & { readonly template: Name }, 'template'> } = {
  dead_letter: UNDELIVERED,
  config_failure: { ...UNDELIVERED, givesUpAt: CAME_AT + DAY_MS },
  refused: {
    httpStatus: 422,
    detail: 'This is JSON, but not a callback.',
    from: '192.0.2.1',
    errors: [{ pointer: '/status', detail: 'must be the integer 0, 1 or 2, found null' }],
  },
  reload_refused: {
    file: 'config/botbell.yaml',
    problems: ['config/botbell.yaml:3:1: there is no setting of this name'],
    moreProblems: 2,
  },
  store_unwritable: { since: CAME_AT, reason: 'database or disk is full' },
  missed: { botId: 'b', botName: '', dueAt: CAME_AT, lastResultAt: undefined },
  summary: {
    destination: 'channel:address',
    reason: 'snooze',
    since: CAME_AT,
    lastAt: CAME_AT + DAY_MS,
    count: 3,
    errors: 1,
    missed: 1,
    overdue: 2,
    bots: [TOLD, { ...TOLD, succeeded: 2, errors: 0 }],
    moreBots: 4,
  },
  digest: {
    group: 'operators',
    since: CAME_AT,
    errors: 1,
    missed: 1,
    overdue: 1,
    open: 1,
    bots: [{ ...TOLD, is_muted: true, open: 1 }],
    moreBots: 4,
    doubts: [],
  },
  report: {
    from: DAY,
    to: DAY + DAY_MS,
    total: REPORTED,
    bots: [{ ...REPORTED, botId: 'b', botName: 'BOT' }],
    moreBots: 4,
    csv: 'from,to\r\n',
    budget: BUDGET,
    doubts: [{ calendar: 'office', endsOn: '2026-12-31' }],
  },
  budget: { ...BUDGET, passed: 80 },
  taken_up: { by: 'kenji', because: 'The VPN is down', troubles: [TROUBLE, TROUBLE], moreTroubles: 3 },
  over: { troubles: [TROUBLE], moreTroubles: 0, answered: { count: 2, bots: ['b', 'c'] } },
  test: { destination: 'channel:address', channel: 'channel', askedBy: 'admin' },
};

const OCCASIONS: Readonly<Record<NoticeVariant['template'], NoticeVariant>> = {
  recovered: { template: 'recovered', failingSince: CAME_AT - DAY_MS, failingForMs: DAY_MS, failures: 3 },
  late: { template: 'late', dueAt: CAME_AT - DAY_MS, lateByMs: DAY_MS },
  overdue: { template: 'overdue', runningForMs: DAY_MS },
};

/** For a callback's template: a notice with every field, and one with only the required fields. */
export function samplesOf(name: TemplateName): readonly [full: Notice, ...others: Notice[]] {
  if (name in SUBJECTS) {
    const subject = { template: name, ...SUBJECTS[name as OwnName] } as OwnSubject;
    return [noticeOfAlert({ id: '0'.repeat(64), raisedAt: CAME_AT + DAY_MS, suppressed: 2, subject })];
  }
  const occasion = name in OCCASIONS ? OCCASIONS[name as NoticeVariant['template']] : undefined;
  const status = Math.max(0, ALL_STATUSES.indexOf(name as StatusName)) as StatusCode;
  const sampleOf = (fields: typeof FULL | typeof BARE) =>
    noticeOf({ callback: { ...fields, status }, startedAt: CAME_AT }, 1, occasion);
  return [{ ...sampleOf(FULL), delayedMs: DAY_MS, heldBack: 2, heldSince: CAME_AT }, sampleOf(BARE)];
}
