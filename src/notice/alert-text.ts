/** Alerts in one sentence, for where no template can be rendered, and as the ledger keeps them. */
import type { Callback } from '../callback/callback.ts';
import { refusalInJapanese } from '../callback/fault-words.ts';
import { failureInWords } from '../channels/failure-words.ts';
import type { Language } from '../time/display.ts';
import type { AlertedError, AlertSubject, OwnSubject, RaisedAlert } from './notice.ts';

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
    case 'test':
      return inJapanese
        ? `これはBotbellのテストメッセージです。${subject.destination} に届くことを確かめるために送りました。対応は必要ありません。`
        : `This is a test message from Botbell, sent to see whether ${subject.destination} can be reached. There is nothing to do.`;
  }
}

/** Versions before read it as a failed run of the BOT that it concerns, or of Botbell itself. */
interface KeptAlert extends Callback {
  /** Versions before did not write it. */
  readonly alert?: RaisedAlert;
}

/**
 * In a rolling restart, replicas of the version before may come first to an alert of this one: they tell it in their way.
 * @param language theirs
 */
export function keptAlert(alert: RaisedAlert, language: Language): KeptAlert {
  const { subject, raisedAt } = alert;
  const { job_id, bot_id, bot_name } =
    'callback' in subject ? subject.callback : { job_id: '', bot_id: 'botbell', bot_name: 'Botbell' };
  const start_time = new Date(raisedAt).toISOString();
  return {
    code: 0,
    job_id,
    bot_id,
    bot_name,
    status: 1,
    start_time,
    message: alertInWords(subject, language),
    alert,
  };
}

/** @param json what `keptAlert` or a version before made */
export function readKeptAlert(json: string, id: string): RaisedAlert {
  const kept = JSON.parse(json) as KeptAlert;
  if (kept.alert !== undefined) return kept.alert;
  return { id, raisedAt: Date.parse(kept.start_time), suppressed: 0, subject: subjectOf(kept) };
}

/** The sentences of version 0.1, in both languages. */
const DEAD_LETTERS = [
  /^The message for (.+?) was given up and will not be sent any more: (.*)$/s,
  /^(.+?) への通知を断念しました。今後は再送されません。原因: (.*)$/s,
];
const REFUSALS = [
  /^A callback was refused \(HTTP (\d+)\), and no retry of it can succeed\. (.*)$/s,
  /^コールバックを受け付けられませんでした \(HTTP (\d+)\)。再送されても受け付けられません。(.*)$/s,
];

function subjectOf({ message, job_id, bot_id, bot_name, start_time }: KeptAlert): AlertSubject {
  const words = message ?? '';
  const refused = matchOf(REFUSALS, words);
  if (refused !== undefined) return refusalFrom(refused);
  const [destination = '', reason = words] = matchOf(DEAD_LETTERS, words) ?? [];
  return {
    template: 'dead_letter',
    destination,
    channel: destination.split(':', 1)[0] ?? '',
    error: errorFrom(reason),
    attempts: undefined,
    callback: { job_id, bot_id, bot_name, status: undefined },
    since: Date.parse(start_time),
  };
}

function matchOf(forms: readonly RegExp[], text: string): string[] | undefined {
  return forms.map((form) => form.exec(text)?.slice(1)).find((match) => match !== undefined);
}

/** Whatever lasts bears a code in its words. */
function errorFrom(message: string): AlertedError {
  const httpStatus = /HTTP status (\d+)/.exec(message)?.[1];
  if (httpStatus !== undefined) return { class: 'transient', code: `http_${httpStatus}`, message };
  const code = /answered "?([a-z]\w*|[245]\d\d)/.exec(message)?.[1];
  return { class: code === undefined ? 'transient' : 'permanent', code: code ?? '', message };
}

function refusalFrom([httpStatus = '', text = '']: readonly string[]): AlertSubject {
  const [detail = '', ...lines] = text.split('\n');
  const errors = lines.map((line) => {
    const [, pointer = '', fault = ''] = /^(\S*) ?(.*)$/.exec(line) ?? [];
    return { pointer, detail: fault };
  });
  return { template: 'refused', httpStatus: Number(httpStatus), detail, errors, from: '' };
}
