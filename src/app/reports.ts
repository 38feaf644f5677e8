/** What the service says of its work in logs and metrics: ids, outcomes and durations, never what a message says. */
import type { ReloadResult } from '../admin/services.ts';
import { statusNameOf } from '../callback/callback.ts';
import type { Problem } from '../config/config.ts';
import { formatProblem } from '../config/problems.ts';
import type { Milestone } from '../deliver/alerts.ts';
import type { AttemptResult } from '../deliver/attempt.ts';
import type { ReportedAction } from '../deliver/operations.ts';
import type { Verdict } from '../deliver/outcome.ts';
import type { AddressedNotice } from '../deliver/settings.ts';
import type { BulkStep } from '../ledger/actions/actions.ts';
import type { StoreEvent } from '../ledger/sqlite/space.ts';
import type { TurnedAway } from '../http/problem.ts';
import { isAlert, isForOperators, jobIdOf, type Notice } from '../notice/notice.ts';
import { type LineLimit, lineLimit } from '../observe/line-limit.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ReceiverReport } from '../receive/receiver.ts';
import { cleanText } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { type Clock, unfailing } from '../time/clock.ts';

/** An id may be as long as a body. */
const LONGEST_ID = 200;
const MOST_POINTERS = 10;
const MOST_PROBLEMS = 50;

/** Between two lines of those that are turned away, and in an outage of outcomes, for each reason. */
const LINE_MS = 1000;
/** Between two lines about the store's size. */
const STORE_LINE_MS = 60_000;

const UNWRITTEN =
  'an outcome could not be written down: deliveries made are kept in memory, and written once the store can be used';
const STORE_FULL =
  'the store is full of what is undelivered: new callbacks are answered 503 until some of it is delivered or dismissed, or store.max_size is raised';
const FORGOTTEN_EARLY = 'the store nears store.max_size: what is done was forgotten early';
const TAKEN_OVER = 'taken over: Botbell delivers it from here';
const GIVEN_UP = 'could not be delivered; no further attempts';

/** The line's level, and what it says of a callback, or behind the name of what Botbell tells by itself. */
const MILESTONES: Readonly<Record<Milestone['name'], readonly ['info' | 'warn' | 'error', string, string]>> =
  {
    delivered_late: ['info', 'delivered after the answer', 'delivered'],
    taken_over: ['info', TAKEN_OVER, TAKEN_OVER],
    given_up: ['error', GIVEN_UP, GIVEN_UP],
    held: ['warn', 'held back', 'held back'],
  };

export type Reports = ReturnType<typeof createReports>;

/** None of them throws: what is done must neither be undone nor repeated because it cannot be said. */
export function createReports(logger: Logger, metrics: Metrics, clock: Clock) {
  const error = (message: string) => errorReport(logger, message);
  const onUnforeseen = error('unforeseen error');
  const safe = <Said extends readonly unknown[]>(report: (...said: Said) => void) =>
    unfailing(report, onUnforeseen);
  const onMilestone = safe((milestone: Milestone) => reportMilestone(logger, clock, milestone));
  const refusals = lineLimit<object>(clock, LINE_MS, (line, notLogged) => {
    logger.warn(notLogged === 0 ? line : { ...line, not_logged: notLogged }, 'turned away');
  });
  const unwritten = lineLimit<unknown>(clock, LINE_MS, error(UNWRITTEN));
  const storeLines = lineLimit<'full' | 'forgotten_early'>(clock, STORE_LINE_MS, (what) => {
    if (what === 'full') logger.error(STORE_FULL);
    else logger.warn(FORGOTTEN_EARLY);
  });
  return {
    onUnforeseen,
    /** In an outage the outcome of each delivery in hand fails alike. */
    onUnwritten: (cause: unknown) => unwritten('', cause),
    onStoreTrouble: error('the store cannot be used'),
    onUnkept: error('a refused body could not be kept'),
    onStoreRecovered: () => logger.info('the store can be used again'),
    onStoreEvent: safe((event: StoreEvent) => {
      if (event.what !== 'has_room') storeLines(event.what, event.what);
    }),
    onCallback: safe((report: ReceiverReport) => reportCallback(logger, metrics, refusals, report)),
    onTurnedAway: safe((report: TurnedAway) => reportTurnedAway(metrics, refusals, report)),
    onAdminTurnedAway: safe(({ status, from, problem }: TurnedAway) =>
      turnAway(refusals, { http: status, listener: 'admin', reason: problem }, from),
    ),
    /** By a rule, when its callback came. */
    onHeld: (rule: string) => metrics.held(rule),
    onIdleRoute: safe((route: string) => logger.warn({ route }, 'a route has matched nothing for 30 days')),
    onAttempt: safe((addressed: AddressedNotice, result: AttemptResult) =>
      reportAttempt(logger, metrics, addressed, result),
    ),
    /** After the answer, which is written in this turn of the event loop. */
    onMilestone: (milestone: Milestone) => void setImmediate(onMilestone, milestone),
    onAction: safe((action: ReportedAction) => reportAction(logger, action)),
    onBulkEnded: safe(({ id, what, given }: NonNullable<BulkStep['ended']>) =>
      logger.info({ of: id, messages: given, what }, 'all that matched has been gone through'),
    ),
    onReload: (result: ReloadResult, cause: string) => reportReload(logger, metrics, result, cause),
  };
}

/** What cannot even be logged must still be survived. */
function errorReport(logger: Logger, message: string): (error: unknown) => void {
  return unfailing(
    (error: unknown) => logger.error({ err: error }, message),
    () => undefined,
  );
}

/** One line a POST to the callback path; one a second for each reason of those that are turned away. */
function reportCallback(
  logger: Logger,
  metrics: Metrics,
  refusals: LineLimit<object>,
  report: ReceiverReport,
): void {
  const { callback, verdict, status: httpStatus, durationMs, from = '', pointers } = report;
  const status = callback === undefined ? 'none' : statusNameOf(callback);
  const result = verdict?.result ?? resultWithout(httpStatus);
  metrics.answered({ status, result, httpStatus, seconds: durationMs / 1000 });
  // What is undefined is not written; to spread it into the line instead would take V8 several times as long.
  const line = {
    http: httpStatus,
    result,
    status,
    ms: durationMs,
    job_id: callback && shortId(callback.job_id),
    bot_id: callback && shortId(callback.bot_id),
    deliveries: verdict?.deliveries.map(describeDelivery),
    reason: httpStatus < 400 ? undefined : report.problem,
    pointers: pointers?.slice(0, MOST_POINTERS).map(shortId),
  };
  if (httpStatus < 400) logger.info(line, 'callback');
  else if (verdict !== undefined) logger.warn(line, 'callback');
  else turnAway(refusals, line, from);
}

/** Of what was not handled. */
function resultWithout(httpStatus: number): string {
  return httpStatus >= 400 && httpStatus < 500 ? 'refused' : 'unavailable';
}

/** Before its body was read. */
function reportTurnedAway(metrics: Metrics, refusals: LineLimit<object>, report: TurnedAway): void {
  const { status, problem, from } = report;
  metrics.turnedAway();
  turnAway(refusals, { http: status, result: 'refused', reason: problem }, from);
}

interface TurnedAwayLine extends Readonly<Record<string, unknown>> {
  readonly http: number;
  readonly reason: string | undefined;
  readonly listener?: string;
}

/** Where a line for each would let a stranger fill the disk. */
function turnAway(refusals: LineLimit<object>, line: TurnedAwayLine, from: string): void {
  refusals(`${line.listener} ${line.http} ${line.reason}`, { ...line, from: shortId(from) });
}

/** `slack:#ops held by mute until 2026-11-25T07:00:00.000Z` */
function describeDelivery(delivery: Verdict['deliveries'][number]): string {
  const { destination, state, error, rule, until } = delivery;
  const by = rule === undefined ? '' : ` by ${rule}`;
  const end = until === undefined ? '' : ` until ${until}`;
  return `${destination} ${state}${by}${end}${error === undefined ? '' : `: ${error}`}`;
}

function shortId(id: string): string {
  return shortLine(id, LONGEST_ID);
}

/** Of what Botbell tells by itself: an alert's name, `summary`, `overdue`, … */
function ownNameOf(notice: Notice): string | undefined {
  return isAlert(notice) || notice.template === 'overdue' ? notice.template : undefined;
}

/** What a line names a delivery by. */
function named(destination: string, notice: Notice) {
  const jobId = jobIdOf(notice);
  return { destination, job_id: jobId && shortId(jobId), notice: ownNameOf(notice) };
}

/**
 * One metric an attempt, but for tests, which tell nobody of anything; a line for a failed one or a poorer message, since the
 * callback's line tells of the others.
 */
function reportAttempt(
  logger: Logger,
  metrics: Metrics,
  { channel, destination, notice }: AddressedNotice,
  { receipt, failure, durationMs: ms }: AttemptResult,
): void {
  if (notice.template !== 'test')
    metrics.attempted({ channel, outcome: failure?.class ?? 'delivered', seconds: ms / 1000 });
  if (failure !== undefined) {
    const { class: failureClass, code, message: reason } = failure;
    const line = { ...named(destination, notice), ms, class: failureClass, code, reason };
    logger.warn(line, 'delivery failed');
  } else if (receipt['card_refused'] !== undefined) {
    const { card_refused: code, card_refused_reason: reason } = receipt;
    logger.warn({ ...named(destination, notice), code, reason }, 'blocks refused, sent as plain text');
  } else if (logger.isLevelEnabled('debug')) {
    logger.debug({ ...named(destination, notice), ms }, 'delivered');
  }
}

/** What happened to a delivery that no answer has told, or of which an operator may have to do something. */
function reportMilestone(logger: Logger, clock: Pick<Clock, 'now'>, milestone: Milestone): void {
  const { name, record, notice, attempts, lastError, reason, firstReceivedAt } = milestone;
  const [level, ofCallback, ofOwn] = MILESTONES[name];
  const own = isForOperators(notice) ? 'alert' : ownNameOf(notice);
  const line = {
    ...named(record.destination, notice),
    ...(isAlert(notice)
      ? {}
      : { status: statusNameOf(notice.callback), bot_id: shortId(notice.callback.bot_id) }),
    attempts,
    ms_since_received: Math.max(0, Math.round(clock.now() - firstReceivedAt)),
    class: lastError?.class,
    code: lastError?.code,
    reason: reason ?? lastError?.message,
  };
  logger[level](line, own === undefined ? ofCallback : `${own} ${ofOwn}`);
}

/** What people do. A user name or an address comes from whoever asks. */
function reportAction(logger: Logger, { what, actor, subject, result }: ReportedAction): void {
  const { via, user, from } = actor;
  const name = (text: string) => shortId(cleanText(text));
  logger.info({ of: subject, result, via, user: user && name(user), from: name(from) }, `asked: ${what}`);
}

function reportReload(logger: Logger, metrics: Metrics, result: ReloadResult, cause: string): void {
  metrics.configReloaded(result.isLoaded);
  if (!result.isLoaded) {
    const line = { cause, problems: linesOf(result.problems) };
    logger.error(line, 'the config was refused: the one before stays in force');
    return;
  }
  const { hasChanged, configHash: hash, unchanged, warnings } = result;
  metrics.configInForce(hash);
  const line = { cause, hash, warnings: warnings.length === 0 ? undefined : linesOf(warnings) };
  logger.info(line, hasChanged ? 'the config was loaded again' : 'the config has not changed');
  if (unchanged.length > 0) logger.warn({ unchanged }, 'left as it is until Botbell is restarted');
}

function linesOf(problems: readonly Problem[]): readonly string[] {
  return problems.slice(0, MOST_PROBLEMS).map(formatProblem);
}
