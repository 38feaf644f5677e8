/** What Botbell tells its operators: what became of a message, as data. The words, and their language, are the template's. */
import type { Callback, StatusCode } from '../callback/callback.ts';
import type { FailureClass } from '../channels/failure.ts';

/** Why a delivery failed. */
export interface AlertedError {
  readonly class: FailureClass;
  readonly code: string;
  /** One English sentence of ours. */
  readonly message: string;
  /** The remote's own words, where it gave any that may be shown. */
  readonly quote?: string;
}

/** A callback as an alert names it. */
export interface AlertedCallback extends Pick<Callback, 'job_id' | 'bot_id' | 'bot_name'> {
  /** Versions before did not keep it. */
  readonly status: StatusCode | undefined;
}

/** A message that could not be delivered, or cannot be for now. Times are milliseconds since the epoch. */
export interface UndeliveredMessage {
  /** `<channel>:<address>` */
  readonly destination: string;
  readonly channel: string;
  readonly error: AlertedError;
  /** Versions before did not keep it. */
  readonly attempts: number | undefined;
  readonly callback: AlertedCallback;
  /** When the callback came for the first time. */
  readonly since: number;
}

/** A body that no retry can make acceptable. */
export interface RefusedMessage {
  /** HTTP status code of the answer. */
  readonly httpStatus: number;
  /** English sentences of ours. */
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** The sender's address; versions before did not keep it. */
  readonly from: string;
}

/** What an alert is about, by the template that tells it. */
export type AlertSubject =
  /** No further attempts. */
  | (UndeliveredMessage & { readonly template: 'dead_letter' })
  /** Wrong until someone fixes it; Botbell keeps retrying until `givesUpAt`. */
  | (UndeliveredMessage & { readonly template: 'config_failure'; readonly givesUpAt: number })
  | (RefusedMessage & { readonly template: 'refused' });

export type AlertName = AlertSubject['template'];

export const ALERT_NAMES = [
  'dead_letter',
  'config_failure',
  'refused',
] as const satisfies readonly AlertName[];

/** An alert that was due to be told when it was raised. Times are milliseconds since the epoch. */
export interface RaisedAlert {
  /** SHA-256, 64 hexadecimal digits: no other alert has the same. */
  readonly id: string;
  readonly raisedAt: number;
  /** How many of the same cause were not told, because the last one had been told less than an hour before. */
  readonly suppressed: number;
  readonly subject: AlertSubject;
}
