/** Alerts in one sentence, for where no template can be rendered. */
import { refusalInJapanese } from '../callback/fault-words.ts';
import { failureInWords, type Words } from '../channels/failure.ts';
import type { Language } from '../time/display.ts';
import type { OwnSubject, RefusedReload } from './notice.ts';

export function alertInWords(subject: OwnSubject, language: Language): string {
  switch (subject.template) {
    case 'dead_letter':
      return `${undeliverable(subject.destination)[language]}${failureInWords(subject.error, language)}`;
    case 'config_failure':
      return `${waiting(subject.destination)[language]}${failureInWords(subject.error, language)}`;
    case 'refused':
      return language === 'ja'
        ? `コールバックを受け付けられませんでした（HTTP ${subject.httpStatus}）。${refusalInJapanese(subject.httpStatus, subject.detail)}`
        : `A callback was refused with HTTP status ${subject.httpStatus}. ${subject.detail}`;
    case 'reload_refused':
      return notLoaded(subject)[language];
    case 'test':
      return testOf(subject.destination)[language];
  }
}

function undeliverable(destination: string): Words {
  return {
    en: `The message for ${destination} could not be delivered; no further attempts. `,
    ja: `${destination} へのメッセージを届けられませんでした。再送はしません。`,
  };
}

function waiting(destination: string): Words {
  return {
    en: `The message for ${destination} cannot be delivered until someone fixes the cause; Botbell keeps retrying. `,
    ja: `原因が解消されるまで、${destination} へのメッセージを届けられません。Botbellは再送を続けます。`,
  };
}

function notLoaded({ file, problems: [first = ''] }: RefusedReload): Words {
  return {
    en: `The config ${file} was not loaded; the one before stays in force. ${first}`,
    ja: `設定 ${file} を読み込めませんでした。これまでの設定で動作を続けます。${first}`,
  };
}

function testOf(destination: string): Words {
  return {
    en: `This is a test message from Botbell, sent to see whether ${destination} can be reached. There is nothing to do.`,
    ja: `これはBotbellのテストメッセージです。${destination} に届くことを確かめるために送りました。対応は必要ありません。`,
  };
}
