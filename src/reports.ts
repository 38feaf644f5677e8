/** What the service says of its work in logs and metrics: ids, outcomes and durations, never what a message says. */
import { statusNameOf } from './callback/callback.ts';
import type { AttemptResult, Errand } from './deliver/messenger.ts';
import type { RoutedAnew, Revival } from './deliver/rerouter.ts';
import type { Verdict } from './deliver/verdict.ts';
import type { DeliveryRecord, DeliveryUpdate } from './ledger/ledger.ts';
import { type AlertNotice, isAlert, jobIdOf } from './notice/notice.ts';
import type { Logger } from './observe/logger.ts';
import type { Metrics } from './observe/metrics.ts';
import type { ReceiverReport } from './receive/receiver.ts';
import { cleanLine } from './text/clean.ts';
import { cutEnd } from './text/cut.ts';

const LONGEST_ID = 200;

/** One line a POST to the callback path. */
export function reportCallback(logger: Logger, metrics: Metrics, report: ReceiverReport): void {
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
  else logger.warn(line, 'callback');
}

function isRefused(httpStatus: number): boolean {
  return httpStatus >= 400 && httpStatus < 500;
}

function describeDelivery({ destination, state, error }: Verdict['deliveries'][number]): string {
  return error === undefined ? `${destination} ${state}` : `${destination} ${state}: ${error}`;
}

/** An id may be as long as a body. */
function shortId(id: string): string {
  return cutEnd(cleanLine(id), LONGEST_ID, '…');
}

/** One metric an attempt; a line only for a failed one, since the callback's line tells of the others. */
export function reportAttempt(
  logger: Logger,
  metrics: Metrics,
  { destination, channel, notice }: Errand,
  { outcome, durationMs }: AttemptResult,
): void {
  const failure = 'failure' in outcome ? outcome.failure : undefined;
  metrics.attempted({ channel, outcome: failure?.class ?? 'delivered', seconds: durationMs / 1000 });
  if (failure === undefined && !logger.isLevelEnabled('debug')) return;
  const jobId = jobIdOf(notice);
  const job_id = jobId && shortId(jobId);
  const alert = isAlert(notice) ? notice.template : undefined;
  if (failure === undefined) {
    logger.debug({ destination, job_id, alert, ms: durationMs }, 'delivered');
    return;
  }
  const { class: failureClass, code, message } = failure;
  const line = { destination, job_id, alert, ms: durationMs, class: failureClass, code, reason: message };
  logger.warn(line, 'delivery failed');
}

/** Nobody else hears of an alert that could not be delivered. */
export function reportLostAlert(
  logger: Logger,
  notice: AlertNotice,
  { lastError, attempts }: DeliveryUpdate,
  { destination }: DeliveryRecord,
): void {
  const jobId = jobIdOf(notice);
  const line = {
    destination,
    alert: notice.template,
    job_id: jobId && shortId(jobId),
    attempts,
    class: lastError?.class,
    code: lastError?.code,
    reason: lastError?.message,
  };
  logger.error(line, 'an alert could not be delivered; no further attempts');
}

/** The attempt was counted as a failure when it was cut off; this tells an operator who wonders about a second copy. */
export function reportLateResult(
  logger: Logger,
  { destination, notice }: Errand,
  { outcome, durationMs }: AttemptResult,
): void {
  if ('failure' in outcome) return;
  const jobId = jobIdOf(notice);
  const line = { destination, job_id: jobId && shortId(jobId), ms: durationMs };
  logger.warn(line, 'delivered after its time limit, so it may be told twice');
}

/** Whoever wonders why nobody was told there finds it here. */
export function reportRerouting(logger: Logger, { due, added, isLost }: RoutedAnew): void {
  const { record, notice } = due;
  const jobId = jobIdOf(notice);
  const alert = isAlert(notice) ? notice.template : undefined;
  const line = { destination: record.destination, job_id: jobId && shortId(jobId), alert };
  if (isLost) logger.error(line, 'no longer routed, and the config names nobody else for it: given up');
  else logger.info({ ...line, added }, 'no longer routed there: held, and routed anew');
}

export function reportRevival(logger: Logger, { destination, callbackId }: Revival): void {
  logger.info({ destination, callback: callbackId }, 'routed there again: due now');
}
