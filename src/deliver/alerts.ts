/** Which alert an outcome raises: decided here, written by the ledger in the transaction that writes the outcome. */
import type { Callback } from '../callback/callback.ts';
import { concernsAddress } from '../channels/failure.ts';
import type { Language } from '../time/display.ts';
import type {
  Alert,
  DeliveryError,
  DeliveryRecord,
  DeliveryTarget,
  DeliveryUpdate,
  RefusedBody,
} from '../ledger/ledger.ts';
import {
  type AlertedCallback,
  type AlertSubject,
  isAlert,
  type Notice,
  type UndeliveredMessage,
} from '../notice/notice.ts';
import { cutEnd } from '../text/cut.ts';

const LONGEST_NAME = 1000;

export interface AlertSettings {
  /** Empty: nobody wants to know. */
  readonly targets: readonly DeliveryTarget[];
  readonly language: Language;
  /** From the first time the callback came. */
  readonly giveUpAfterMs: number;
}

/** What a delivery is to tell. */
export interface Concerned {
  readonly notice: Notice;
  /** Milliseconds since the epoch. */
  readonly firstReceivedAt: number;
}

/**
 * The update with the alert that it raises, if any: of a dead letter when it dies, of a `config` failure when Botbell
 * itself makes the next attempt.
 * @param record as it stood before
 */
export function withAlert(
  update: DeliveryUpdate,
  record: DeliveryRecord,
  concerned: Concerned,
  settings: AlertSettings,
): DeliveryUpdate {
  const subject = subjectOf(update, record, concerned, settings);
  if (subject === undefined) return update;
  const { template, error, channel, destination } = subject;
  const where = concernsAddress(error) ? destination : channel;
  const cause = `${template} ${where} ${error.class} ${error.code}`;
  return { ...update, alert: alertOf(cause, subject, settings) };
}

type Undelivered = UndeliveredMessage & AlertSubject;

function subjectOf(
  { state, isTakenOver, lastError, attempts }: DeliveryUpdate,
  { destination, channel }: DeliveryRecord,
  { notice, firstReceivedAt }: Concerned,
  { giveUpAfterMs }: AlertSettings,
): Undelivered | undefined {
  // Of an alert that cannot be delivered, nobody is alerted.
  if (lastError === undefined || isAlert(notice)) return undefined;
  const message: UndeliveredMessage = {
    destination,
    channel,
    error: lastError,
    attempts,
    callback: named(notice.callback),
    since: firstReceivedAt,
  };
  if (state === 'dead') return { template: 'dead_letter', ...message };
  return isWaitingForMending(state, isTakenOver, lastError)
    ? { template: 'config_failure', ...message, givesUpAt: firstReceivedAt + giveUpAfterMs }
    : undefined;
}

/** Each may be as long as a body. */
function named({ job_id, bot_id, bot_name, status }: Callback): AlertedCallback {
  return {
    job_id: cutEnd(job_id, LONGEST_NAME, '…'),
    bot_id: cutEnd(bot_id, LONGEST_NAME, '…'),
    bot_name: cutEnd(bot_name, LONGEST_NAME, '…'),
    status,
  };
}

function isWaitingForMending(
  state: DeliveryUpdate['state'],
  isTakenOver: boolean,
  error: DeliveryError,
): boolean {
  return state === 'pending' && isTakenOver && error.class === 'config';
}

/** The destinations for which alerts were raised. */
export function alertTargetsIn(updates: readonly DeliveryUpdate[]): readonly string[] {
  return updates.flatMap(({ alert }) => alert?.targets.map(({ destination }) => destination) ?? []);
}

/** Of a body that was refused. */
export function refusalAlert(
  { status, detail, errors, from }: Pick<RefusedBody, 'status' | 'detail' | 'errors' | 'from'>,
  settings: Pick<AlertSettings, 'targets' | 'language'>,
): Alert {
  const subject = { template: 'refused', httpStatus: status, detail, errors, from } as const;
  return alertOf(`refused ${status}`, subject, settings);
}

function alertOf(
  cause: string,
  subject: AlertSubject,
  { targets, language }: Pick<AlertSettings, 'targets' | 'language'>,
): Alert {
  return { cause, subject, targets, language };
}
