/** What the service says of its work in logs and metrics: ids, outcomes and durations, never what a message says. */
import type { AdminTurnedAway } from '../admin/admin.ts';
import { statusNameOf } from '../callback/callback.ts';
import type { Receipt } from '../channels/channel.ts';
import type { AttemptDependencies, AttemptResult } from '../deliver/attempt.ts';
import type { AddressedNotice } from '../deliver/settings.ts';
import type { ConfigFollowerDependencies, Revival, RoutedAnew } from '../deliver/follow-config.ts';
import type { Verdict } from '../deliver/outcome.ts';
import type { Milestone, MilestoneName } from '../deliver/milestone.ts';
import type { DispatcherDependencies } from '../deliver/dispatcher.ts';
import { isAlert, jobIdOf, type Notice } from '../notice/notice.ts';
import { LineLimit } from '../observe/line-limit.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { StoreEvent } from '../ledger/sqlite/space.ts';
import { reportTest } from './test-sending.ts';
import type { ReceiverReport } from '../receive/receiver.ts';
import type { TurnedAway } from '../receive/problems.ts';
import { shortLine } from '../text/cut.ts';
import { type Clock, unfailing } from '../time/clock.ts';

const LONGEST_ID = 200;
const MOST_POINTERS = 10;

/** Where a line for each would let a stranger fill the disk. */
export type RefusalLog = LineLimit<Readonly<Record<string, unknown>>>;

export function createRefusalLog(logger: Logger, clock: Pick<Clock, 'startTimer'>): RefusalLog {
  return new LineLimit(clock, (line, notLogged) => {
    logger.warn(notLogged === 0 ? line : { ...line, not_logged: notLogged }, 'turned away');
  });
}

/** One line a POST to the callback path; one a second for each reason of those that are turned away. */
export function reportCallback(
  logger: Logger,
  metrics: Metrics,
  refusals: RefusalLog,
  report: ReceiverReport,
): void {
  const { callback, verdict, status: httpStatus, durationMs } = report;
  const status = callback === undefined ? 'none' : statusNameOf(callback);
  const result = verdict?.result ?? (isRefused(httpStatus) ? 'refused' : 'unavailable');
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
  };
  if (httpStatus < 400) logger.info(line, 'callback');
  else if (verdict !== undefined) logger.warn(line, 'callback');
  else turnAway(refusals, line, report);
}

/** One line a second for each reason, and a count of all. */
export function reportTurnedAway(metrics: Metrics, refusals: RefusalLog, report: TurnedAway): void {
  const { status, method, path, problem } = report;
  metrics.turnedAway();
  const line = { http: status, result: 'refused', reason: problem, method, path };
  turnAway(refusals, line, report);
}

/** Of the admin listener; no metric of callbacks counts them. */
export function reportAdminTurnedAway(
  refusals: RefusalLog,
  { status, from, problem }: AdminTurnedAway,
): void {
  turnAway(refusals, { http: status, listener: 'admin', reason: problem }, { from });
}

function turnAway(
  refusals: RefusalLog,
  line: { readonly http: number; readonly reason: string | undefined; readonly listener?: string },
  { from = '', pointers }: Pick<ReceiverReport, 'from'> & Partial<Pick<ReceiverReport, 'pointers'>>,
): void {
  const shown = { ...line, from: shortId(from), pointers: pointers?.slice(0, MOST_POINTERS).map(shortId) };
  refusals.say(`${line.listener} ${line.http} ${line.reason}`, shown);
}

function isRefused(httpStatus: number): boolean {
  return httpStatus >= 400 && httpStatus < 500;
}

function describeDelivery({ destination, state, error }: Verdict['deliveries'][number]): string {
  return error === undefined ? `${destination} ${state}` : `${destination} ${state}: ${error}`;
}

/** An id may be as long as a body. */
function shortId(id: string): string {
  return shortLine(id, LONGEST_ID);
}

/** What a line names a delivery by. */
function named({ destination, notice }: { readonly destination: string; readonly notice: Notice }) {
  const jobId = jobIdOf(notice);
  const alert = isAlert(notice) ? notice.template : undefined;
  return { destination, job_id: jobId && shortId(jobId), alert };
}

/** One metric an attempt; a line only for a failed one or a poorer message, since the callback's line tells of the others. */
export function reportAttempt(
  logger: Logger,
  metrics: Metrics,
  addressed: AddressedNotice,
  { outcome, durationMs }: AttemptResult,
): void {
  const { channel } = addressed;
  const failure = 'failure' in outcome ? outcome.failure : undefined;
  metrics.attempted({ channel, outcome: failure?.class ?? 'delivered', seconds: durationMs / 1000 });
  if ('receipt' in outcome) reportRefusedBlocks(logger, metrics, addressed, outcome.receipt);
  if (failure === undefined && !logger.isLevelEnabled('debug')) return;
  const line = { ...named(addressed), ms: durationMs };
  if (failure === undefined) logger.debug(line, 'delivered');
  else {
    const { class: failureClass, code, message: reason } = failure;
    logger.warn({ ...line, class: failureClass, code, reason }, 'delivery failed');
  }
}

/** What happened to a delivery that no answer has told, or of which an operator may have to do something. */
export function reportMilestone(logger: Logger, clock: Pick<Clock, 'now'>, milestone: Milestone): void {
  const { name, notice, attempts, lastError, hold, firstReceivedAt } = milestone;
  const [level, ofCallback, ofAlert] = MILESTONES[name];
  const line = {
    ...named(milestone),
    ...(isAlert(notice) ? {} : { status: notice.template, bot_id: shortId(notice.callback.bot_id) }),
    attempts,
    ms_since_received: Math.max(0, Math.round(clock.now() - firstReceivedAt)),
    class: lastError?.class,
    code: lastError?.code,
    reason: hold?.code ?? lastError?.message,
  };
  logger[level](line, isAlert(notice) ? ofAlert : ofCallback);
}

const TAKEN_OVER = 'taken over: Botbell delivers it from here';
const GIVEN_UP = 'could not be delivered; no further attempts';

/** The line's level, and what it says of a callback and of an alert. */
const MILESTONES: Readonly<Record<MilestoneName, readonly ['info' | 'warn' | 'error', string, string]>> = {
  delivered_late: ['info', 'delivered after the answer', 'alert delivered'],
  taken_over: ['info', TAKEN_OVER, TAKEN_OVER],
  given_up: ['error', GIVEN_UP, `an alert ${GIVEN_UP}`],
  held: ['warn', 'held back', 'an alert was held back'],
};

/** The attempt was counted as a failure when it was cut off; this tells an operator who wonders about a second copy. */
export function reportLateResult(
  logger: Logger,
  addressed: AddressedNotice,
  { outcome, durationMs }: AttemptResult,
): void {
  if ('failure' in outcome) return;
  logger.warn(
    { ...named(addressed), ms: durationMs },
    'delivered after its time limit, so it may be told twice',
  );
}

/** A template at fault, or a limit that nobody knows: people were told, but less than was meant. */
function reportRefusedBlocks(
  logger: Logger,
  metrics: Metrics,
  addressed: AddressedNotice,
  { blocks_refused: code, blocks_refused_reason: reason }: Receipt,
): void {
  if (code === undefined) return;
  metrics.blocksRefused(addressed.channel);
  logger.warn({ ...named(addressed), code, reason }, 'blocks refused, sent as plain text');
}

export type PipelineReports = Pick<
  AttemptDependencies & DispatcherDependencies & ConfigFollowerDependencies,
  'onAttempt' | 'onLateResult' | 'onMilestone' | 'onReroute' | 'onRevival' | 'onUnwritten'
> & {
  /** A message was sent that is marked as a test. */
  readonly onTest: AttemptDependencies['onAttempt'];
  readonly onStoreTrouble: (error: unknown) => void;
  readonly onStoreRecovered: () => void;
};

export function pipelineReports(
  logger: Logger,
  metrics: Metrics,
  clock: Pick<Clock, 'now'>,
  onUnforeseen: (error: unknown) => void,
): PipelineReports {
  const sayMilestone = unfailing(
    (milestone: Milestone) => reportMilestone(logger, clock, milestone),
    onUnforeseen,
  );
  return {
    onAttempt: (addressed, result) => reportAttempt(logger, metrics, addressed, result),
    onTest: reportTest(logger),
    onLateResult: (addressed, result) => reportLateResult(logger, addressed, result),
    onMilestone: (milestone) => setImmediate(sayMilestone, milestone),
    onReroute: unfailing((routed) => reportRerouting(logger, routed), onUnforeseen),
    onRevival: unfailing((revival) => reportRevival(logger, revival), onUnforeseen),
    onUnwritten: reportUnwritten(logger, clock),
    onStoreTrouble: reportTrouble(logger),
    onStoreRecovered: unfailing(() => logger.info('the store can be used again'), onUnforeseen),
  };
}

/** Whoever wonders why nobody was told there finds it here. */
function reportRerouting(logger: Logger, { due, added, isLost }: RoutedAnew): void {
  const line = named({ destination: due.record.destination, notice: due.notice });
  if (isLost)
    logger.error(line, 'no longer routed, and the config names nobody else for it: no further attempts');
  else logger.info({ ...line, added }, 'no longer routed there: held, and routed anew');
}

function reportRevival(logger: Logger, { destination, callbackId }: Revival): void {
  logger.info({ destination, callback: callbackId }, 'routed there again: due now');
}

const STORE_LINE_MS = 60_000;

/** A flood must not fill the log as well: at most one line a minute, with what the lines left out would have said. */
export function createStoreReport(
  logger: Logger,
  metrics: Pick<Metrics, 'forgottenEarly'>,
  clock: Pick<Clock, 'monotonic'>,
): (event: StoreEvent) => void {
  const mayForget = onceAMinute(clock);
  const maySayFull = onceAMinute(clock);
  let forgotten = 0;
  let isSaidFull = false;
  return (event) => {
    if (event.what === 'forgotten_early') {
      metrics.forgottenEarly(event.count);
      forgotten += event.count;
      if (!mayForget()) return;
      logger.warn(
        { callbacks: forgotten },
        'the store nears store.max_size: what is done was forgotten early',
      );
      forgotten = 0;
    } else if (event.what === 'has_room') {
      if (isSaidFull) logger.info('the store has room again: callbacks are taken');
      isSaidFull = false;
    } else if (maySayFull()) {
      isSaidFull = true;
      logger.error(STORE_FULL);
    }
  };
}

const STORE_FULL =
  'the store is full of what is undelivered: new callbacks are answered 503 until some of it is delivered or dismissed, or store.max_size is raised';

function onceAMinute(clock: Pick<Clock, 'monotonic'>): () => boolean {
  let saidAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.monotonic();
    if (now < saidAt + STORE_LINE_MS) return false;
    saidAt = now;
    return true;
  };
}

export function reportTrouble(logger: Logger): (error: unknown) => void {
  return reportError(logger, 'the store cannot be used');
}

export function reportUnforeseen(logger: Logger): (error: unknown) => void {
  return reportError(logger, 'unforeseen error');
}

/** Of an outcome: of a delivery, or of an answer. In an outage, each in hand fails alike: once a second is enough. */
export function reportUnwritten(logger: Logger, clock: Pick<Clock, 'now'>): (error: unknown) => void {
  const report = reportError(
    logger,
    'an outcome could not be written down: deliveries made are kept in memory, and written once the store can be used',
  );
  let said = { reason: '', second: 0 };
  return (error) => {
    const saying = { reason: String(error), second: Math.floor(clock.now() / 1000) };
    if (said.reason !== saying.reason || said.second !== saying.second) report(error);
    said = saying;
  };
}

/** What cannot even be logged must still be survived. */
export function reportError(logger: Logger, message: string): (error: unknown) => void {
  return unfailing(
    (error: unknown) => logger.error({ err: error }, message),
    () => undefined,
  );
}
