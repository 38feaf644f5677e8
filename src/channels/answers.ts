/**
 * Turns an HTTP answer that is not a success into a `DeliveryFailure`: by the service's own code, else by the HTTP status. The failure
 * has its class, and whether the message may have arrived; `deliver/outcome.ts` decides from both.
 */
import { shortLine } from '../text/cut.ts';
import { objectIn } from '../text/json.ts';
import { isPageOfHtml, titleIn } from '../text/page.ts';
import type { HttpAnswer } from '../outbound/exchange.ts';
import type { DeliveryFailure, FailureClass, FailureDetails, Words } from './failure.ts';
import { askedMs, failureOf, obeyedMs, UNSPECIFIED_PAUSE_MS } from './failure.ts';

export interface Meaning extends Pick<
  FailureDetails,
  'class' | 'concerns' | 'retryAfterMs' | 'mayHaveArrived' | 'isForLater'
> {
  readonly words: Words;
}

export type Meanings = Readonly<Record<string, Meaning>>;

const meansAs =
  (failureClass: FailureClass) =>
  (en: string, ja: string, more: Omit<Meaning, 'class' | 'words'> = {}): Meaning => ({
    class: failureClass,
    words: { en, ja },
    ...more,
  });

/** One function for each class, which makes a meaning of that class. */
export const means = {
  transient: meansAs('transient'),
  rate_limited: meansAs('rate_limited'),
  permanent: meansAs('permanent'),
  config: meansAs('config'),
};

/** Gives each code a row of its own. @param table its keys may be several codes with one meaning, separated by a comma and a blank */
export function byCodes(table: Meanings): Meanings {
  const rows = Object.entries(table);
  return Object.fromEntries(rows.flatMap(([codes, of]) => codes.split(', ').map((code) => [code, of])));
}

export interface Answers {
  readonly title: Words;
  /** By what `kindOf` returns, else by what `codeOf` returns, else by the status, else by `4xx`: 400 to 499 without 408, 425 and 429. */
  readonly meanings: Meanings;
  readonly codeOf?: (answer: HttpAnswer) => string | undefined;
  /** Botbell's own code for an answer for which the service has none; the failure's message does not quote it. */
  readonly kindOf?: (answer: HttpAnswer) => string | undefined;
  /** Removes the channel's secrets; left out: what the service says is not quoted. */
  readonly hide?: ((words: string) => string) | undefined;
  /** A detail that the failure's message appends to the code, such as ` at /blocks/3`. */
  readonly detailOf?: (answer: HttpAnswer) => string;
  /** The pause that a rate limit asks for: seconds or an HTTP date (RFC 9110). What a header or the body asks for takes precedence. */
  readonly waitOf?: (answer: HttpAnswer) => unknown;
  /** What a rate limit concerns unless its meaning says so; by default the address. */
  readonly limits?: 'address' | 'channel';
  /** What any other failure concerns unless its meaning says so; by default the address. */
  readonly concerns?: 'address' | 'channel';
  /** Whether the request was a login or a check: it carried no message, so none can have arrived. */
  readonly hasNoMessage?: boolean;
}

export function failureOfAnswer(answer: HttpAnswer, answers: Answers): DeliveryFailure {
  const { title, codeOf, kindOf, limits = 'address', concerns = 'address' } = answers;
  const { status } = answer;
  const code = codeOf?.(answer);
  const kind = kindOf?.(answer);
  const { words, ...details } = meaningOf(answer, [kind, code], answers.meanings);
  const mayHaveArrived = details.mayHaveArrived === true && answers.hasNoMessage !== true;
  const retryAfterMs = pauseOf(answer, details.class, answers);
  const more = moreInWords(retryAfterMs, mayHaveArrived);
  const said = `${code ?? status}${answers.detailOf?.(answer) ?? ''}${quoteOf(answer, answers, code)}`;
  const affected = details.class === 'rate_limited' ? limits : concerns;
  return failureOf(
    { concerns: affected, retryAfterMs, ...details, mayHaveArrived, code: kind ?? code ?? `http_${status}` },
    {
      en: `${title.en} answered ${said}: ${words.en}${more.en}`,
      ja: `${title.ja}の応答 ${said}: ${words.ja}${more.ja}`,
    },
  );
}

export function moreInWords(pauseMs: number | undefined, mayHaveArrived = false): Words {
  const { en, ja } = pauseMs === undefined ? { en: '', ja: '' } : pauseInWords(pauseMs);
  if (!mayHaveArrived) return { en, ja };
  return {
    en: `${en}. The message may have arrived`,
    ja: `${ja}。メッセージは届いている可能性があります`,
  };
}

/** The most characters that are quoted from an answer. */
const LONGEST_QUOTE = 200;

/** The body, or a web page's title, in quotes; '' if that is the code. Secrets are hidden before the cut: half a secret would not be recognised. */
function quoteOf(answer: HttpAnswer, { hide }: Answers, code?: string): string {
  // The body is compressed, although Botbell did not ask for that.
  if (answer.headers['content-encoding'] !== undefined) return '';
  const said = isPage(answer) ? (titleIn(answer.body) ?? '') : asItReads(answer.body);
  return hide === undefined || said.trim() === code ? '' : quoted(hide(said)).replace(/^(?=.)/, ' ');
}

/** Many services write JSON in ASCII alone, so that nobody could read their Japanese, or escape signs that a secret has. */
function asItReads(json: string): string {
  const read = json.replace(/\\{1,4}u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
  return read.replace(/\\{1,4}\//g, '/');
}

/** The words cut to one line in quotes; '' if there are none. */
export function quoted(words: string): string {
  const line = shortLine(words, LONGEST_QUOTE);
  return line === '' ? '' : `“${line}”`;
}

/** The seconds to wait in a JSON body (Discord; Telegram in `parameters`). A quoted text cannot match: in a JSON string, quotes are escaped. */
const SECONDS_IN_BODY = /"retry_after"\s*:\s*"?(\d+(?:\.\d+)?)/;

/** In milliseconds. Transient errors such as 503 may have a `Retry-After`, too, not only rate limits; of several such headers, the first counts. */
function pauseOf(answer: HttpAnswer, failureClass: FailureClass, { waitOf }: Answers) {
  const [header] = [answer.headers['retry-after']].flat();
  const asked = askedMs(header, Date.now());
  if (failureClass !== 'rate_limited') return failureClass === 'transient' ? asked : undefined;
  const [, seconds] = SECONDS_IN_BODY.exec(answer.body) ?? [];
  return asked ?? askedMs(seconds ?? waitOf?.(answer), Date.now()) ?? UNSPECIFIED_PAUSE_MS;
}

function pauseInWords(askedFor: number): Words {
  const [asked, obeyed] = [askedFor, obeyedMs(askedFor)].map((ms) => Math.ceil(ms / 1000));
  const isLess = askedFor > obeyedMs(askedFor);
  return {
    en: `; the pause is ${obeyed} s${isLess ? ` of the ${asked} s that it asked for` : ''}`,
    ja: `。${obeyed}秒待機します${isLess ? `（要求された待機は${asked}秒）` : ''}`,
  };
}

function isRefusal(status: number): boolean {
  return status >= 400 && status <= 499 && ![408, 425, 429].includes(status);
}

export const GONE = means.config(
  'the webhook is not valid, or was removed or switched off; switch it on, or make a new one and put its URL into the config',
  'Webhookが無効か、削除されています。有効にするか、新しく作成してそのURLを設定してください',
);
export const CLOSED = means.config(
  'the webhook may not post in its channel; check the settings of both, or ask an administrator',
  'Webhookがチャンネルに投稿できません。Webhookとチャンネルの設定を確認するか、管理者に確認してください',
);
/** The pause for a hook that is gone: services punish repeated calls that cannot succeed, or at least bear their load. */
export const HOURLY = { retryAfterMs: 3_600_000 };
const PAGE = means.config(
  'this is a web page, not an answer of the service; check the URL, and whatever proxy or sign-in stands before it',
  'サービスの応答ではなくWebページが返されました。URLと、途中のプロキシやサインイン画面を確認してください',
  { mayHaveArrived: true },
);
export const RATE_LIMITED = means.rate_limited('the rate is limited', 'レート制限を受けました');
/** A server that redirects a POST may have processed it first. */
const REDIRECT = means.config(
  'the answer is a redirect, which is not followed: put the address that it leads to into the config',
  'リダイレクトが返されました。リダイレクトには従いません。転送先のURLを設定してください',
  { mayHaveArrived: true },
);
const CUT = means.transient(
  'its answer did not come to an end, or is too long',
  '応答が途中で切れたか、長すぎます',
  { mayHaveArrived: true },
);
const NOT_UNDERSTOOD = means.config(
  'this is not how it answers when it has taken a message; check the URL',
  '受け付けたときの応答ではありません。URLを確認してください',
  { mayHaveArrived: true },
);
const UNUSABLE = means.config(
  'nothing is taken at this address: check the URL or token in the config, and whether it was revoked',
  'この宛先では受け付けられません。設定のURLまたはトークンと、無効にされていないかを確認してください',
);
export const REFUSED = means.permanent('this message is refused', 'このメッセージは受け付けられませんでした');
export const TRY_LATER = means.transient('it could not be handled', '障害が発生しています');

/** An error of a gateway or of a service in trouble does not say whether the message was taken; only 503 and 425 say that it was not. */
const IN_TROUBLE: Meaning = { ...TRY_LATER, mayHaveArrived: true };

/** Content types of HTML; `isPage` believes them only if the body is more than one word. */
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i;

/** Whether the answer is an HTML page, such as that of a sign-in; no service here answers with one. */
export function isPage({ body, headers }: Pick<HttpAnswer, 'body' | 'headers'>): boolean {
  const isHtml = HTML.test(String(headers['content-type'])) && /\S\s+\S|</.test(body);
  return isHtml || isPageOfHtml(body);
}

function meaningOf(answer: HttpAnswer, codes: readonly (string | undefined)[], meanings: Meanings): Meaning {
  const { status } = answer;
  // The part that is missing may have said that it failed.
  if (answer.isCut === true && status <= 299) return CUT;
  const keys = [...codes, String(status), isRefusal(status) ? '4xx' : undefined];
  // The remote chooses the code, so an inherited key such as `constructor` must not match.
  const known = keys.find((key) => key !== undefined && Object.hasOwn(meanings, key));
  return meanings[known ?? ''] ?? meaningOfStatus(answer);
}

function meaningOfStatus(answer: HttpAnswer): Meaning {
  const { status } = answer;
  if (status <= 299) return isPage(answer) ? PAGE : NOT_UNDERSTOOD;
  if (status <= 399) return REDIRECT;
  if (status === 429) return RATE_LIMITED;
  if ([401, 403, 404, 405, 407, 410].includes(status)) return UNUSABLE;
  if (isRefusal(status)) return REFUSED;
  return status === 503 || status === 425 ? TRY_LATER : IN_TROUBLE;
}

/** The JSON object in the answer's body; `{}` if the body is anything else. */
export function jsonOf({ body }: Pick<HttpAnswer, 'body'>): Readonly<Record<string, unknown>> {
  return objectIn(body);
}

/** The string at `key` if it looks like an error code: 1 to 100 letters, digits, underscores and dots. */
export function codeAt(json: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const code = Object.hasOwn(json, key) ? json[key] : undefined;
  return typeof code === 'string' && /^[\w.]{1,100}$/.test(code) ? code : undefined;
}
