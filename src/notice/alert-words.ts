/** An alert in one sentence, for whoever has no template at hand. */
import { refusalInJapanese } from '../callback/fault-words.ts';
import { failureInWords } from '../channels/failure-words.ts';
import type { Language } from '../channels/format.ts';
import type { AlertSubject } from './alert.ts';

type Sentences = {
  readonly [Name in AlertSubject['template']]: (
    subject: Extract<AlertSubject, { readonly template: Name }>,
  ) => string;
};

const ENGLISH: Sentences = {
  dead_letter: ({ destination, error }) =>
    `The message for ${destination} could not be delivered; no further attempts. ${failureInWords(error, 'en')}`,
  config_failure: ({ destination, error }) =>
    `The message for ${destination} cannot be delivered until someone mends the cause; Botbell goes on trying. ${failureInWords(error, 'en')}`,
  refused: ({ httpStatus, detail }) => `A callback was refused with HTTP status ${httpStatus}. ${detail}`,
};

const JAPANESE: Sentences = {
  dead_letter: ({ destination, error }) =>
    `${destination} へのメッセージを届けられませんでした。再送はしません。${failureInWords(error, 'ja')}`,
  config_failure: ({ destination, error }) =>
    `原因が解消されるまで、${destination} へのメッセージを届けられません。Botbellは再送を続けます。${failureInWords(error, 'ja')}`,
  refused: ({ httpStatus, detail }) =>
    `コールバックを受け付けられませんでした（HTTP ${httpStatus}）。${refusalInJapanese(httpStatus, detail)}`,
};

export function alertInWords(subject: AlertSubject, language: Language): string {
  const sentences = language === 'ja' ? JAPANESE : ENGLISH;
  switch (subject.template) {
    case 'dead_letter':
      return sentences.dead_letter(subject);
    case 'config_failure':
      return sentences.config_failure(subject);
    case 'refused':
      return sentences.refused(subject);
  }
}
