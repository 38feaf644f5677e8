/** Notices with which `check` renders templates: of each name one that has everything, and one that has only what it must. */
import { ALL_STATUSES, type Callback, type StatusCode, type StatusName } from '../callback/callback.ts';
import {
  type Notice,
  noticeOf,
  noticeOfAlert,
  type Occasion,
  type OwnName,
  type OwnSubject,
  type TemplateName,
  type UndeliveredMessage,
} from '../notice/notice.ts';

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
    nested: { a: { b: [1, null] } },
  },
} as const;

const BARE = {
  code: 0,
  job_id: 'j-1',
  bot_id: 'b',
  bot_name: 'b',
  start_time: '2026-01-02T03:04:05Z',
} as const;

const CAME_AT = Date.parse(FULL.start_time);
const DAY_MS = 86_400_000;

function undelivered(fields: Pick<Callback, 'job_id' | 'bot_id' | 'bot_name'>): UndeliveredMessage {
  const { job_id, bot_id, bot_name } = fields;
  const error = {
    class: 'config',
    code: 'sample_code',
    message: 'A sample of what a remote answers.',
  } as const;
  return {
    destination: 'channel:address',
    channel: 'channel',
    error,
    attempts: 3,
    callback: { job_id, bot_id, bot_name, status: 1 },
    callbackId: 1,
    since: CAME_AT,
  };
}

const GIVES_UP_AT = CAME_AT + DAY_MS;
const FAULT = { pointer: '/status', detail: 'must be 0, 1 or 2, found null' };
const BODY = { httpStatus: 422, detail: 'This is JSON, but not a callback.', from: '192.0.2.1' };
const TOLD = { bot_id: 'b', bot_name: 'b', succeeded: 0, errors: 1, jobs: ['j-1'] };
const SINCE = { since: CAME_AT };
const TEST = { destination: 'channel:address', channel: 'channel' };

/** By name, made of a callback that has everything, or of one that has only what it must. */
const SUBJECTS: Readonly<Record<OwnName, (fields: typeof FULL | typeof BARE) => OwnSubject>> = {
  dead_letter: (fields) => ({ template: 'dead_letter', ...undelivered(fields) }),
  config_failure: (fields) => ({
    template: 'config_failure',
    ...undelivered(fields),
    givesUpAt: GIVES_UP_AT,
  }),
  refused: (fields) => ({
    template: 'refused',
    ...BODY,
    errors: fields === FULL ? Array.from({ length: 7 }, () => FAULT) : [],
  }),
  reload_refused: (fields) => ({
    template: 'reload_refused',
    file: 'config/botbell.yaml',
    problems: ['config/botbell.yaml:3:1: there is no setting of this name'],
    moreProblems: fields === FULL ? 2 : 0,
  }),
  missed: (fields) => ({
    template: 'missed',
    botId: fields.bot_id,
    botName: fields === FULL ? FULL.bot_name : '',
    dueAt: CAME_AT,
    lastResultAt: fields === FULL ? CAME_AT - DAY_MS : undefined,
  }),
  summary: (fields) => ({
    template: 'summary',
    destination: TEST.destination,
    reason: fields === FULL ? 'snooze' : 'burst',
    ...SINCE,
    count: 3,
    bots: fields === FULL ? [TOLD, { ...TOLD, succeeded: 2, errors: 0 }] : [TOLD],
    moreBots: fields === FULL ? 4 : 0,
  }),
  digest: (fields) => ({
    template: 'digest',
    group: 'operators',
    ...SINCE,
    bots: fields === FULL ? [{ ...TOLD, missed: 1, is_muted: true }] : [],
    moreBots: fields === FULL ? 4 : 0,
  }),
  test: (fields) => ({ template: 'test', ...TEST, askedBy: fields === FULL ? 'admin' : '' }),
};

const OCCASIONS: Readonly<Record<Occasion['template'], Occasion>> = {
  recovered: { template: 'recovered', failingSince: CAME_AT - DAY_MS, failures: 3 },
  late: { template: 'late', dueAt: CAME_AT - DAY_MS, lateByMs: DAY_MS },
  overdue: { template: 'overdue', runningForMs: DAY_MS },
};

export function samplesOf(name: TemplateName): readonly [full: Notice, bare: Notice] {
  if (name in SUBJECTS) {
    const subjectOf = SUBJECTS[name as OwnName];
    return [sampleOfAlert(subjectOf(FULL), 2), sampleOfAlert(subjectOf(BARE), 0)];
  }
  const occasion = name in OCCASIONS ? OCCASIONS[name as Occasion['template']] : undefined;
  const status = Math.max(0, ALL_STATUSES.indexOf(name as StatusName)) as StatusCode;
  const sampleOf = (fields: typeof FULL | typeof BARE) =>
    noticeOf({ callback: { ...fields, status }, startedAt: CAME_AT }, 1, occasion);
  return [{ ...sampleOf(FULL), delayedMs: DAY_MS, heldBack: 2 }, sampleOf(BARE)];
}

function sampleOfAlert(subject: OwnSubject, suppressed: number): Notice {
  return noticeOfAlert({ id: '0'.repeat(64), raisedAt: CAME_AT + DAY_MS, suppressed, subject });
}
