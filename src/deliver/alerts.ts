/** Decides which alert an outcome raises (the ledger writes both in one transaction), and what the log reports of a delivery. */
import type { DeliveryConfig, Problem } from '../config/config.ts';
import { problemLines } from '../config/problems.ts';
import {
  type Alert,
  channelOf,
  type DeliveryError,
  type DeliveryUpdate,
  type DueDelivery,
  type RefusedBody,
} from '../ledger/ledger.ts';
import { aboutOf, type AlertedCallback, type AlertSubject, isForOperators } from '../notice/notice.ts';
import { cutEnd } from '../text/cut.ts';
import type { Language } from '../time/display.ts';
import type { MilestoneName } from './outcome.ts';

const LONGEST_NAME = 1000;

/** Only a limit per day or on the account pauses for this long, so it raises an alert. */
const ALERTED_PAUSE_MS = 3_600_000;

export type AlertSettings = Pick<DeliveryConfig, 'alerts' | 'giveUpAfterMs'>;

/** A delivery as it stood before its outcome, and its notice. */
export type AlertedDelivery = Pick<DueDelivery, 'record' | 'notice'>;

/** How long nothing is sent to a destination, and whether it is down. */
interface Trouble {
  readonly pauseMs?: number | undefined;
  readonly isDown?: boolean;
}

/** Whether operators have to mend the cause of the error, or should know of it. */
function isForSomebody({ class: failed }: DeliveryError, { pauseMs = 0, isDown = false }: Trouble): boolean {
  if (failed === 'rate_limited') return pauseMs >= ALERTED_PAUSE_MS;
  return failed === 'config' || (failed === 'transient' && isDown);
}

/**
 * The update with the alert that it raises, if any: for a dead letter, or, once the delivery is taken over, for a `config` failure,
 * a long pause, or a destination that is down.
 */
export function withAlert(
  update: DeliveryUpdate,
  { record: { destination, callbackId, receivedAt: since }, notice }: AlertedDelivery,
  settings: AlertSettings,
  trouble: Trouble = {},
): DeliveryUpdate {
  const { state, isTakenOver, lastError: error, attempts } = update;
  // An alert that cannot be delivered raises no further alert.
  if (error === undefined || isForOperators(notice)) return update;
  const isWaiting = state === 'pending' && isTakenOver && isForSomebody(error, trouble);
  if (state !== 'dead' && !isWaiting) return update;
  const channel = channelOf(destination);
  const callback = named(aboutOf(notice));
  const message = { destination, channel, error, attempts, callback, callbackId, since };
  const subject: AlertSubject = isWaiting
    ? { template: 'config_failure', ...message, givesUpAt: since + settings.giveUpAfterMs }
    : { template: 'dead_letter', ...message };
  const where = error.concerns === 'address' ? destination : channel;
  const cause = `${subject.template} ${where} ${error.class} ${error.code}`;
  return { ...update, alert: { cause, subject, targets: settings.alerts } };
}

/** The callback with its names cut, since each of them may be as long as a body. */
function named({ job_id, bot_id, bot_name, status }: AlertedCallback): AlertedCallback {
  const cut = (name: string) => cutEnd(name, LONGEST_NAME, '…');
  return { job_id: cut(job_id), bot_id: cut(bot_id), bot_name: cut(bot_name), status };
}

export function refusalAlert(
  { status, detail, errors, from }: Pick<RefusedBody, 'status' | 'detail' | 'errors' | 'from'>,
  { alerts: targets }: Pick<AlertSettings, 'alerts'>,
): Alert {
  const subject = { template: 'refused', httpStatus: status, detail, errors, from } as const;
  return { cause: `refused ${status}`, subject, targets };
}

/** A refused config raises no alert if it is mended within this time. */
const MENDED_WITHIN_MS = 60_000;

const MOST_PROBLEMS = 5;

/** The alert about a config that was not put in force. @param problems without any secret */
export function reloadAlert(
  file: string,
  problems: readonly Problem[],
  { alerts: targets }: Pick<AlertSettings, 'alerts'>,
  language: Language,
) {
  const errors = problemLines(
    problems.filter(({ severity }) => severity === 'error'),
    language,
  );
  const named = errors.slice(0, MOST_PROBLEMS).map((problem) => cutEnd(problem, LONGEST_NAME, '…'));
  const moreProblems = errors.length - named.length;
  const subject = { template: 'reload_refused', file, problems: named, moreProblems } as const;
  return { cause: 'reload_refused', subject, targets, afterMs: MENDED_WITHIN_MS } satisfies Alert;
}

/** What the log reports of a delivery besides its attempts. */
export interface Milestone
  extends AlertedDelivery, Pick<DeliveryUpdate, 'attempts' | 'lastError' | 'reason'> {
  readonly name: MilestoneName;
}
