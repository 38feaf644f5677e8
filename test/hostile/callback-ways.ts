/** What a posted body goes through, stage by stage, each alone so that its time can be taken. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import {
  type Callback,
  type CallbackError,
  identityOf,
  InvalidCallback,
} from '../../src/callback/callback.ts';
import { createCallbackCheck } from '../../src/callback/check-callback.ts';
import { decodeBody, UndecodableBody } from '../../src/callback/decode.ts';
import { emailFormat } from '../../src/channels/email/format.ts';
import type { MessageFormat } from '../../src/channels/channel.ts';
import type { Language } from '../../src/time/display.ts';
import { smtpFailureOf } from '../../src/channels/email/smtp-errors.ts';
import { slackFormat } from '../../src/channels/slack/format.ts';
import { previewPage } from '../../src/cli/preview/preview-page.ts';
import { refusalAlert, withAlert } from '../../src/deliver/alerts.ts';
import { redactor } from '../../src/app/settings.ts';
import { problemBody } from '../../src/http/problem.ts';
import type { Alert, DeliveryRecord, DeliveryUpdate, RefusedBody } from '../../src/ledger/ledger.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { type Notice, noticeOfAlert } from '../../src/notice/notice.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { BUILT_IN_TEMPLATES } from '../../src/package-files.ts';
import { createRenderer } from '../../src/render/renderer.ts';
import { createReports } from '../../src/app/reports.ts';
import { createRouter } from '../../src/route/router.ts';
import { secretsHidden } from '../../src/text/hide-secrets.ts';
import { EVERY_FILTER } from './every-filter.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { DELIVERED } from '../support/receiver-bench.ts';
import { noticeAbout } from '../support/callbacks.ts';

/** A body, and what the receiver makes of it. */
export interface Post {
  readonly bytes: Buffer;
  readonly callback: Callback | undefined;
  readonly refusal: { readonly detail: string; readonly errors: readonly CallbackError[] };
}

export type Way = (post: Post) => void | Promise<void>;

export const WAY_NAMES = [
  'receive',
  'identity',
  'route',
  'ledger',
  'log',
  'Slack in English',
  'Slack in Japanese',
  'mail in English',
  'mail in Japanese',
  'Slack with every filter',
  'mail with every filter',
  'alerts in English',
  'alerts in Japanese',
  'preview and outbox',
] as const;

export type WayName = (typeof WAY_NAMES)[number];

const TARGET = { destination: 'slack:#ops', channel: 'slack', address: '#ops' };
const check = createCallbackCheck('Asia/Tokyo');

export function postOf(bytes: Buffer): Post {
  try {
    const { callback } = check(decodeBody(bytes).value);
    return { bytes, callback, refusal: { detail: '', errors: [] } };
  } catch (error) {
    if (error instanceof UndecodableBody)
      return { bytes, callback: undefined, refusal: { detail: error.message, errors: [] } };
    if (!(error instanceof InvalidCallback)) throw error;
    return { bytes, callback: undefined, refusal: { detail: 'no callback', errors: error.errors } };
  }
}

function receive({ bytes }: Post): void {
  const { refusal } = postOf(bytes);
  problemBody({ status: 422, detail: refusal.detail, members: { errors: refusal.errors } });
}

const PATTERNS = [
  'get-items',
  'get-*',
  '*-daily-*',
  '?-*-?*z',
  '*-*-*-*z',
  '/^report-\\d+$/',
  '/.*-.*-.*z/i',
];
const router = createRouter(
  PATTERNS.map((pattern, index) => ({
    name: `routes[${index}]`,
    botIds: [pattern],
    on: ['succeeded', 'error', 'executing'],
    notify: [],
    templateSet: undefined,
    place: { file: '', line: 1, column: 1 },
  })),
  undefined,
);

function route({ callback }: Post): void {
  if (callback === undefined) return;
  router.route(callback);
  router.explainAll(callback);
}

function keepIn(ledger: DatabaseLedger): Way {
  let posts = 0;
  return async ({ bytes, callback, refusal }) => {
    const receivedAt = Date.UTC(2026, 10, 20);
    if (callback === undefined) {
      const refused: RefusedBody = { ...refusal, receivedAt, status: 422, from: '', body: bytes.toString() };
      await ledger.refuse(refused, refusalAlertOf(refusal));
      return;
    }
    posts += 1;
    // Another callback of the same job, so that its identity is worked out.
    const again = { ...callback, code: posts };
    const routing = router.route(callback).explanations;
    const arrival = { body: bytes, startedAt: 0, receivedAt, planned: [TARGET], routing, isAccepted: false };
    await ledger.admit({ ...arrival, callback: again, identity: identityOf(again) });
  };
}

const metrics = createMetrics({
  version: '0',
  countOpen: () => Promise.resolve(undefined),
  storeBytes: () => Promise.resolve(undefined),
});
const logger = pino(
  { level: 'debug', base: undefined, hooks: { streamWrite: redactor(['a secret', 'https://']) } },
  new Writable({ write: (_chunk, _encoding, done) => done() }),
);
const reports = createReports(logger, metrics, new ManualClock());

function log({ callback, refusal }: Post): void {
  const verdict = callback && DELIVERED;
  const pointers = refusal.errors.map(({ pointer }) => pointer);
  const status = callback === undefined ? 422 : 200;
  const problem = callback === undefined ? refusal.detail : undefined;
  reports.onCallback({
    status,
    durationMs: 1,
    callback,
    verdict,
    problem,
    from: '::1',
    pointers,
  });
}

const FORMATS: readonly MessageFormat[] = [slackFormat, emailFormat];
const LINKS = {
  job: 'https://example.com/jobs/{{ job_id }}?b={{ bot_id | downcase }}',
  file: 'https://example.com/{{ ref }}?n={{ name }}',
};

/** Renders a notice with a set into the format; what the templates do not bear is told by the built-in ones, as ever. */
type Render = (notice: Notice, format: MessageFormat, templateSet?: string) => unknown;

function rendererIn(language: Language, templatesFolder: string | undefined): Render {
  const renderer = createRenderer({
    display: { language, links: LINKS, timezone: 'Asia/Tokyo' },
    builtInTemplates: BUILT_IN_TEMPLATES,
    templatesFolder,
    formats: FORMATS,
  });
  return (notice, { name: format }, templateSet) => {
    const target = { format, templateSet, options: { mention_on_error: ['@here'] } };
    return renderer.render(notice, target, () => undefined);
  };
}

function renderWay(render: Render, format: MessageFormat, templateSet?: string): Way {
  return ({ callback }) => {
    if (callback !== undefined) render(noticeAbout(callback, 2), format, templateSet);
  };
}

const RECORD: DeliveryRecord = {
  ...TARGET,
  id: 1,
  state: 'pending',
  attempts: 1,
  lastError: undefined,
  receipt: undefined,
  hold: undefined,
  refusals: 0,
  isTakenOver: true,
  claim: 'own',
  behind: undefined,
  ageMs: 0,
  givenBackAt: undefined,
};

const SETTINGS = { targets: [TARGET], giveUpAfterMs: 1 } as const;

/** Of a mail server that gives back what it was sent. */
function deadLetterOf(callback: Callback): Alert | undefined {
  const response = `550 ${callback.message ?? ''}${callback.bot_name}`;
  const refused = Object.assign(new Error(response), { responseCode: 550, command: 'RCPT TO', response });
  const {
    class: failureClass,
    code,
    message,
    japanese,
  } = smtpFailureOf(refused, secretsHidden(['a secret']));
  const lastError = {
    class: failureClass,
    code,
    message: redactor(['a secret'])(message),
    japanese: redactor(['a secret'])(japanese),
  };
  const update: DeliveryUpdate = { ...RECORD, state: 'dead', lastError, isTakenOver: true, dueInMs: 0 };
  const subject = { record: RECORD, notice: noticeAbout(callback), firstReceivedAt: 0 };
  return withAlert(update, subject, SETTINGS).alert;
}

function refusalAlertOf({ detail, errors }: Post['refusal']): Alert {
  return refusalAlert({ status: 422, detail, errors, from: '::1' }, SETTINGS);
}

function alertWay(render: Render): Way {
  return ({ callback, refusal }) => {
    const alert = callback === undefined ? refusalAlertOf(refusal) : deadLetterOf(callback);
    if (alert === undefined) return;
    const raised = { id: '0', raisedAt: 0, suppressed: 2, subject: alert.subject };
    for (const format of FORMATS) render(noticeOfAlert(raised), format);
  };
}

/** As `preview --format html` and the outbox show it. */
function showWay(render: Render): Way {
  return ({ callback }) => {
    if (callback === undefined) return;
    const previews = FORMATS.map((format) => ({
      destination: format.name,
      message: render(noticeAbout(callback, 1), format),
      format,
    }));
    previewPage(previews);
    for (const { format, message } of previews) format.asText(message);
  };
}

/** @param templatesFolder with the set `every-filter` */
export function waysOf(ledger: DatabaseLedger, templatesFolder: string): Readonly<Record<WayName, Way>> {
  const en = rendererIn('en', templatesFolder);
  const ja = rendererIn('ja', undefined);
  return {
    receive,
    identity: ({ callback }) => void (callback && identityOf(callback)),
    route,
    ledger: keepIn(ledger),
    log,
    'Slack in English': renderWay(en, slackFormat),
    'Slack in Japanese': renderWay(ja, slackFormat),
    'mail in English': renderWay(en, emailFormat),
    'mail in Japanese': renderWay(ja, emailFormat),
    'Slack with every filter': renderWay(en, slackFormat, EVERY_FILTER),
    'mail with every filter': renderWay(en, emailFormat, EVERY_FILTER),
    'alerts in English': alertWay(en),
    'alerts in Japanese': alertWay(ja),
    'preview and outbox': showWay(en),
  };
}
