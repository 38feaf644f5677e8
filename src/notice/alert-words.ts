/** An alert in one sentence, for whoever has no template at hand. */
import { refusalInJapanese } from '../callback/fault-words.ts';
import { failureInWords } from '../channels/failure-words.ts';
import type { Language } from '../channels/format.ts';
import type { AlertSubject } from './alert.ts';

export function alertInWords(subject: AlertSubject, language: Language): string {
  const inJapanese = language === 'ja';
  switch (subject.template) {
    case 'dead_letter': {
      const why = failureInWords(subject.error, language);
      return inJapanese
        ? `${subject.destination} へのメッセージを届けられませんでした。再送はしません。${why}`
        : `The message for ${subject.destination} could not be delivered; no further attempts. ${why}`;
    }
    case 'config_failure': {
      const why = failureInWords(subject.error, language);
      return inJapanese
        ? `原因が解消されるまで、${subject.destination} へのメッセージを届けられません。Botbellは再送を続けます。${why}`
        : `The message for ${subject.destination} cannot be delivered until someone fixes the cause; Botbell keeps retrying. ${why}`;
    }
    case 'refused':
      return inJapanese
        ? `コールバックを受け付けられませんでした（HTTP ${subject.httpStatus}）。${refusalInJapanese(subject.httpStatus, subject.detail)}`
        : `A callback was refused with HTTP status ${subject.httpStatus}. ${subject.detail}`;
  }
}
