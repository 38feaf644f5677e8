/**
 * Turns an answer over HTTP that is none of success into a `DeliveryFailure`: by the service's own code, else by the HTTP status. Each
 * says its class, and whether the message may have arrived; `deliver/outcome.ts` decides from both.
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

/** Makes a meaning of each class. */
export const means = {
  transient: meansAs('transient'),
  rate_limited: meansAs('rate_limited'),
  permanent: meansAs('permanent'),
  config: meansAs('config'),
};

/** @param table by codes, separated by a comma and a blank where several mean the same */
export function byCodes(table: Meanings): Meanings {
  const rows = Object.entries(table);
  return Object.fromEntries(rows.flatMap(([codes, of]) => codes.split(', ').map((code) => [code, of])));
}

export interface Answers {
  readonly title: Words;
  /** By `kindOf`, else by the code that `codeOf` finds, else by the status, else by `4xx`: any from 400 to 499 but 408, 425 and 429. */
  readonly meanings: Meanings;
  readonly codeOf?: (answer: HttpAnswer) => string | undefined;
  /** A code of ours, for what the service has none for; people are not told that the service said so. */
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
  /** It is asked for a login, or checked: nothing of a message is sent to it. */
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

/** Characters of what a remote says that are quoted. */
const LONGEST_QUOTE = 200;

/** What the remote says beside its code, on one line in quotes; of a page its title. Hidden before the cut: half a secret would not be recognised. */
function quoteOf(answer: HttpAnswer, { hide }: Answers, code?: string): string {
  // Compressed, although nobody asked for that.
  if (answer.headers['content-encoding'] !== undefined) return '';
  const said = isPage(answer) ? (titleIn(answer.body) ?? '') : answer.body;
  return hide === undefined || said.trim() === code ? '' : quoted(hide(said)).replace(/^(?=.)/, ' ');
}

/** On one line in quotes; '' for nothing. */
export function quoted(words: string): string {
  const line = shortLine(words, LONGEST_QUOTE);
  return line === '' ? '' : `“${line}”`;
}

/** Where JSON has seconds to wait, such as Discord's, and Telegram's in `parameters`; within a string its quotes would be escaped. */
const SECONDS_IN_BODY = /"retry_after"\s*:\s*"?(\d+(?:\.\d+)?)/;

/** Milliseconds. Besides rate limits, transient errors such as 503 may carry a `Retry-After`; of several, the first counts. */
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
/** A pause for a hook that is gone: repeating a call that cannot succeed is punished, or at least a burden. */
export const HOURLY = { retryAfterMs: 3_600_000 };
const PAGE = means.config(
  'this is a web page, not an answer of the service; check the URL, and whatever proxy or sign-in stands before it',
  'サービスの応答ではなくWebページが返されました。URLと、途中のプロキシやサインイン画面を確認してください',
  { mayHaveArrived: true },
);
export const RATE_LIMITED = means.rate_limited('the rate is limited', 'レート制限を受けました');
/** Whoever redirects a POST may have run it before. */
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

/** What a gateway, or a service in trouble, says tells nothing of what became of the message; only 503 is a refusal. */
const IN_TROUBLE: Meaning = { ...TRY_LATER, mayHaveArrived: true };

/** Of a body that is more than a word. */
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i;

/** Whether a page of HTML came, such as that of a sign-in, which no service here answers with. */
export function isPage({ body, headers }: Pick<HttpAnswer, 'body' | 'headers'>): boolean {
  const isHtml = HTML.test(String(headers['content-type'])) && /\S\s+\S|</.test(body);
  return isHtml || isPageOfHtml(body);
}

function meaningOf(answer: HttpAnswer, codes: readonly (string | undefined)[], meanings: Meanings): Meaning {
  const { status } = answer;
  // Nobody knows whether the rest of it would do.
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
