/** Alerts as they are raised, for tests that care about one or two fields. */
import type { AlertSubject, OwnSubject, RaisedAlert } from '../../src/notice/notice.ts';

const RAISED_AT = Date.parse('2026-11-20T09:30:00+09:00');

export const UNDELIVERED: Omit<OwnSubject<'dead_letter'>, 'template'> = {
  destination: 'slack:#ops',
  channel: 'slack',
  error: {
    class: 'config',
    code: 'not_in_channel',
    message: 'Slack answered not_in_channel: the app is not a member of the channel; /invite it there.',
    japanese: 'アプリがチャンネルのメンバーではありません。/invite で招待してください。',
  },
  attempts: 3,
  callback: { job_id: 'job-1', bot_id: 'invoice', bot_name: '請求書取込BOT', status: 0 },
  callbackId: 7,
  since: Date.parse('2026-11-20T09:00:00+09:00'),
};

export const DEAD_LETTER: AlertSubject = { template: 'dead_letter', ...UNDELIVERED };

export const CONFIG_FAILURE: AlertSubject = {
  template: 'config_failure',
  ...UNDELIVERED,
  givesUpAt: Date.parse('2026-11-21T09:00:00+09:00'),
};

export const REFUSED: AlertSubject = {
  template: 'refused',
  httpStatus: 422,
  detail: 'This is JSON, but not a callback.',
  errors: [{ pointer: '/status', detail: 'is missing: it must be an integer' }],
  from: '192.0.2.7',
};

const RELOAD_REFUSED: AlertSubject = {
  template: 'reload_refused',
  file: 'botbell.yaml',
  problems: ['botbell.yaml:3:1: there is no setting "rotes"'],
  moreProblems: 1,
};

const STORE_UNWRITABLE: AlertSubject = {
  template: 'store_unwritable',
  since: RAISED_AT - 60_000,
  reason: 'database or disk is full',
};

export const ALERT_SUBJECTS: readonly AlertSubject[] = Object.values({
  dead_letter: DEAD_LETTER,
  config_failure: CONFIG_FAILURE,
  refused: REFUSED,
  reload_refused: RELOAD_REFUSED,
  store_unwritable: STORE_UNWRITABLE,
} satisfies Record<AlertSubject['template'], AlertSubject>);

export function raised(subject: AlertSubject, suppressed = 0): RaisedAlert {
  return { id: 'ab'.repeat(32), raisedAt: RAISED_AT, suppressed, subject };
}
