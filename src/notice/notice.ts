/** What is told: by which template, and what it is about. A callback's status is one of many names. */
import {
  ALL_STATUSES,
  type CheckedCallback,
  statusNameOf,
  type StatusName,
  identityOf,
} from '../callback/callback.ts';
import { ALERT_NAMES, type AlertName, type RaisedAlert } from './alert.ts';

/** A file `<name>.yaml` in each template set and format. */
export type TemplateName = StatusName | AlertName;

export const TEMPLATE_NAMES: readonly TemplateName[] = [...ALL_STATUSES, ...ALERT_NAMES];

export interface CallbackNotice extends CheckedCallback {
  readonly template: StatusName;
  /** 1 for the first time this callback was received, 2 for the service's first retry, … */
  readonly timesReceived: number;
}

export interface AlertNotice {
  readonly template: AlertName;
  readonly alert: RaisedAlert;
}

export type Notice = CallbackNotice | AlertNotice;

export function noticeOf({ callback, startedAt }: CheckedCallback, timesReceived: number): CallbackNotice {
  return { template: statusNameOf(callback), callback, startedAt, timesReceived };
}

export function noticeOfAlert(alert: RaisedAlert): AlertNotice {
  return { template: alert.subject.template, alert };
}

export function isAlert(notice: Notice): notice is AlertNotice {
  return 'alert' in notice;
}

/** The same for every attempt to tell the same; 64 hexadecimal digits. */
export function noticeId(notice: Notice): string {
  return isAlert(notice) ? notice.alert.id : identityOf(notice.callback);
}

/** The job that it concerns; undefined where there is none. */
export function jobIdOf(notice: Notice): string | undefined {
  if (!isAlert(notice)) return notice.callback.job_id;
  const { subject } = notice.alert;
  return 'callback' in subject ? subject.callback.job_id : undefined;
}
