/** Alerts in one sentence, for where no template can be rendered. */
import { refusalInJapanese } from '../callback/fault-words.ts';
import { failureInWords } from '../channels/failure.ts';
import type { Language } from '../time/display.ts';
import type { OwnSubject } from './notice.ts';

export function alertInWords(subject: OwnSubject, language: Language): string {
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
    case 'reload_refused':
      return inJapanese
        ? `設定 ${subject.file} を読み込めませんでした。これまでの設定で動作を続けます。${subject.problems[0] ?? ''}`
        : `The config ${subject.file} was not loaded; the one before stays in force. ${subject.problems[0] ?? ''}`;
    case 'test':
      return inJapanese
        ? `これはBotbellのテストメッセージです。${subject.destination} に届くことを確かめるために送りました。対応は必要ありません。`
        : `This is a test message from Botbell, sent to see whether ${subject.destination} can be reached. There is nothing to do.`;
  }
}
