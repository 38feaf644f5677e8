/** What the operators are told of, in their language: dead letters and refused bodies. */
import type { Callback } from '../callback/callback.ts';
import type { Language } from '../channels/format.ts';
import type { DeliveryError } from '../ledger/ledger.ts';
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

export function refusedBody(status: 400 | 422, detail: string, language: Language): Trouble {
  const message =
    language === 'ja'
      ? `コールバックを受け付けられませんでした (HTTP ${status})。再送されても受け付けられません。${detail}`
      : `A callback was refused (HTTP ${status}), and no retry of it can succeed. ${detail}`;
  return { cause: `refused ${status}`, message, callback: undefined };
}
