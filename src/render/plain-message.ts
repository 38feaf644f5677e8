/** The message of last resort, made without any template: what happened to which BOT, or to which message. */
import type { Callback, StatusName } from '../callback/callback.ts';
import type { Language, MessageFormat, RenderedParts } from '../channels/format.ts';
import { alertInWords } from '../notice/alert-words.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import { cleanLine } from '../text/clean.ts';
import { endsOf } from './liquid/cut-value.ts';

/** Together, with every character escaped to five, still within what a Slack notification line takes. */
const MAX_MESSAGE_LENGTH = 400;
const MAX_NAME_LENGTH = 100;

const WORDS: Readonly<Record<Language, Readonly<Record<StatusName, string>>>> = {
  en: { succeeded: '✅ Succeeded', error: '❌ Failed', executing: '▶️ Running' },
  ja: { succeeded: '✅ 成功', error: '❌ エラー', executing: '▶️ 実行中' },
};

export function plainParts(notice: Notice, format: MessageFormat, language: Language): RenderedParts {
  const text = isAlert(notice)
    ? `⚠️ ${cleanLine(endsOf(alertInWords(notice.alert.subject, language), MAX_MESSAGE_LENGTH))}`
    : plainText(notice.callback, WORDS[language][notice.template]);
  return Object.fromEntries(
    Object.entries(format.parts)
      .filter(([, part]) => part.kind === 'string' && part.mayBeLeftOut !== true)
      .map(([name]) => [name, format.markupOf([name], text).escape(text)]),
  );
}

function plainText(callback: Callback, words: string): string {
  const message = cleanLine(endsOf(callback.message ?? '', MAX_MESSAGE_LENGTH));
  const name = cleanLine(endsOf(callback.bot_name, MAX_NAME_LENGTH));
  return `${words}: ${name}${message === '' ? '' : ` – ${message}`}`;
}
