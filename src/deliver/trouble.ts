/** What the operators are told of, in their language: dead letters and refused bodies. */
import type { Callback } from '../callback/callback.ts';
import type { Language } from '../channels/format.ts';
import type { DeliveryError, RefusedBody } from '../ledger/ledger.ts';
import type { Trouble } from './alarm.ts';

/** A delivery that is tried no more. */
export interface GivenUp {
  /** `<channel>:<address>` */
  readonly destination: string;
  readonly channel: string;
  readonly error: DeliveryError | undefined;
}

export function deadLetter(callback: Callback, given: GivenUp, language: Language): Trouble {
  const { destination, channel, error } = given;
  const reason = error?.message ?? '';
  const message =
    language === 'ja'
      ? `${destination} への通知を断念しました。今後は再送されません。原因: ${reason}`
      : `The message for ${destination} was given up and will not be sent any more: ${reason}`;
  return { cause: `dead ${channel} ${error?.class} ${error?.code}`, message, callback };
}

/** What an alert names of all that is wrong. */
const MOST_FAULTS = 5;

export function refusedBody(
  { status, detail, errors }: Pick<RefusedBody, 'status' | 'detail' | 'errors'>,
  language: Language,
): Trouble {
  const faults = errors.slice(0, MOST_FAULTS).map((error) => `\n${error.pointer} ${error.detail}`);
  const more = errors.length > MOST_FAULTS ? '\n…' : '';
  const reason = `${detail}${faults.join('')}${more}`;
  const message =
    language === 'ja'
      ? `コールバックを受け付けられませんでした (HTTP ${status})。再送されても受け付けられません。${reason}`
      : `A callback was refused (HTTP ${status}), and no retry of it can succeed. ${reason}`;
  return { cause: `refused ${status}`, message, callback: undefined };
}
