/** Alerts as the ledger keeps them, and as versions before kept them. */
import type { Callback } from '../callback/callback.ts';
import type { Language } from '../channels/format.ts';
import { alertInWords } from './alert-words.ts';
import type { AlertedError, AlertSubject, RaisedAlert } from './alert.ts';

/** To versions before, the alert is a failed run of the BOT that it befell, or of Botbell itself. */
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
