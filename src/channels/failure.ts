/**
 * Why a delivery failed: a closed list of classes, by which retry, answer, metric and ledger decide, in words for operators; and
 * what the network's errors and a Retry-After mean. What a remote's own codes mean stands beside its channel.
 */
import { answerInWords, isLastingAnswer, ProxyError } from '../outbound/proxy-error.ts';
import type { Language } from '../time/display.ts';

/**
 * - `transient`: network, timeout, 5xx, SMTP 4xx: the next attempt may succeed.
 * - `rate_limited`: the remote limits the rate.
 * - `permanent`: the remote will never accept this message or address.
 * - `config`: token, scope, channel, login: fails until someone changes it.
 */
export type FailureClass = 'transient' | 'rate_limited' | 'permanent' | 'config';

export const FAILURE_CLASSES: readonly FailureClass[] = ['transient', 'rate_limited', 'permanent', 'config'];

/** A clause or sentence for operators, without its full stop. */
export type Words = Readonly<Record<Language, string>>;

/** What is read of a failure by whoever tells of it. */
export interface FailureToExplain {
  readonly class: FailureClass;
  /** The remote's own code, or a short one of ours: `channel_not_found`, `ETIMEDOUT`, `550`. */
  readonly code: string;
  /** What happened and what to do about it, in one or two sentences. */
  readonly message: string;
  /** The same in Japanese; left out where nobody has worded it. */
  readonly japanese?: string;
}

export interface FailureDetails extends FailureToExplain {
  /** `address`: another address of the same channel may succeed. Otherwise `channel`. */
  readonly concerns?: 'address' | 'channel';
  /** How long the remote is to get no more messages, in milliseconds; obeyed from a second to an hour. */
  readonly retryAfterMs?: number;
}

export class DeliveryFailure extends Error implements FailureToExplain {
  override readonly name = 'DeliveryFailure';
  readonly class: FailureClass;
  readonly code: string;
  readonly japanese: string;
  readonly concerns: 'address' | 'channel';
  readonly retryAfterMs: number | undefined;

  constructor(details: FailureDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.class = details.class;
    this.code = details.code;
    this.japanese = details.japanese ?? details.message;
    this.concerns = details.concerns ?? 'channel';
    this.retryAfterMs = details.retryAfterMs === undefined ? undefined : obeyedMs(details.retryAfterMs);
  }
}

/** @param words without their full stops */
export function failureOf(
  details: Omit<FailureDetails, 'message' | 'japanese'>,
  { en, ja }: Words,
): DeliveryFailure {
  return new DeliveryFailure({ ...details, message: `${en}.`, japanese: `${ja}。` });
}

export function failureInWords(
  { message, japanese = message }: Pick<FailureToExplain, 'message' | 'japanese'>,
  language: Language,
): string {
  return language === 'ja' ? japanese : message;
}

/** What went wrong below the protocol: DNS, TCP, TLS, a timeout, a proxy on the way. */
export interface NetworkError {
  /** Node's own code where there is one: `ECONNREFUSED`, `ENOTFOUND`; `proxy_407` for what a proxy answered. */
  readonly code: string;
  /** What it means for the message is not in it. */
  readonly words: Words;
  /** No retry changes it: a certificate or TLS version that was not accepted, a proxy that refuses. */
  readonly isRefusal: boolean;
  /** The remote may have taken the message. */
  readonly mayHaveArrived: boolean;
}

/**
 * @param remote what the operator knows it by
 * @param mayHaveArrived where the channel knows better than the error does
 */
export function networkFailureOf(
  remote: Words,
  { code, words, isRefusal, mayHaveArrived: isAmbiguous }: NetworkError,
  mayHaveArrived = isAmbiguous,
): DeliveryFailure {
  const outcome = mayHaveArrived ? MAY_HAVE_ARRIVED : NOTHING_SENT;
  return failureOf(
    { class: isRefusal ? 'config' : 'transient', code },
    {
      en: `No answer from ${remote.en}: ${words.en}. ${outcome.en}`,
      ja: `${remote.ja}から応答がありません。${words.ja}。${outcome.ja}`,
    },
  );
}

const MAY_HAVE_ARRIVED: Words = {
  en: 'The message may have arrived',
  ja: 'メッセージは届いている可能性があります',
};
const NOTHING_SENT: Words = { en: 'Nothing was sent', ja: 'メッセージは送信されていません' };

const MAX_CAUSES = 8;

/** What libraries call what the operating system already has a code for. */
const SYNONYMS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_HEADERS_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_BODY_TIMEOUT: 'ETIMEDOUT',
  ECONNECTION: 'ECONNRESET',
  EPIPE: 'ECONNRESET',
};

/** As undici names it. Nothing of a message has left by then. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

const WORDS: Readonly<Record<string, Words>> = {
  ECONNREFUSED: {
    en: 'the connection was refused; check host, port and firewall',
    ja: '接続が拒否されました。ホスト、ポート、ファイアウォールを確認してください',
  },
  ECONNRESET: {
    en: 'the connection broke off before the answer was complete',
    ja: '応答の途中で接続が切れました',
  },
  ETIMEDOUT: { en: 'there was no complete answer in time', ja: '時間内に応答が完了しませんでした' },
  ENOTFOUND: {
    en: 'the host name is unknown; check its spelling and the DNS',
    ja: 'ホスト名が存在しません。綴りとDNSを確認してください',
  },
  EAI_AGAIN: { en: 'the DNS did not answer', ja: 'DNSの応答がありません' },
  EHOSTUNREACH: { en: 'the host cannot be reached from here', ja: 'ホストに到達できません' },
  ENETUNREACH: { en: 'the network cannot be reached from here', ja: 'ネットワークに到達できません' },
};

const NO_CONNECTION: Words = {
  en: 'there was no connection in time; check host, port and firewall',
  ja: '時間内に接続できませんでした。ホスト、ポート、ファイアウォールを確認してください',
};

const TLS_REFUSED: Words = {
  en: 'its TLS certificate or version was not accepted',
  ja: '接続先のTLS証明書またはTLSバージョンを検証できませんでした',
};

const AMBIGUOUS: ReadonlySet<string> = new Set(['ECONNRESET', 'ETIMEDOUT']);

const TLS_CODE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|^ERR_SSL|^ERR_TLS|^HOSTNAME_MISMATCH/;
const NODE_CODE = /^[A-Z][A-Z0-9_]+$/;

export function networkErrorOf(error: unknown): NetworkError {
  const ofProxy = causeChain(error).find((link) => link instanceof ProxyError);
  if (ofProxy !== undefined) return proxyErrorOf(ofProxy);
  const code = codeOf(error);
  if (code === CONNECT_TIMEOUT)
    return { code: 'ETIMEDOUT', words: NO_CONNECTION, isRefusal: false, mayHaveArrived: false };
  const mayHaveArrived = AMBIGUOUS.has(code);
  if (TLS_CODE.test(code)) return { code, words: TLS_REFUSED, isRefusal: true, mayHaveArrived: false };
  const words = WORDS[code] ?? {
    en: `the connection failed (${code})`,
    ja: `接続に失敗しました（${code}）`,
  };
  return { code, words, isRefusal: false, mayHaveArrived };
}

/** Nothing has got past it. */
function proxyErrorOf(error: ProxyError): NetworkError {
  const { proxy, status, cause } = error;
  if (status === undefined) {
    const { code, words, isRefusal } = networkErrorOf(cause);
    const inWords = {
      en: `the proxy ${proxy} could not be used: ${words.en}`,
      ja: `プロキシ ${proxy} を利用できません。${words.ja}`,
    };
    return { code, words: inWords, isRefusal, mayHaveArrived: false };
  }
  const words = answerInWords(error, status);
  return { code: `proxy_${status}`, words, isRefusal: isLastingAnswer(status), mayHaveArrived: false };
}

function codeOf(error: unknown): string {
  for (const link of causeChain(error)) {
    if (link.name === 'TimeoutError') return 'ETIMEDOUT';
    for (const key of ['originalCode', 'code']) {
      const code: unknown = Reflect.get(link, key);
      if (typeof code !== 'string' || !NODE_CODE.test(code)) continue;
      if (code === 'ETIMEDOUT' && Reflect.get(link, 'syscall') === 'connect') return CONNECT_TIMEOUT;
      return SYNONYMS[code] ?? code;
    }
  }
  return 'network_error';
}

/** The innermost error first: wrappers name themselves, only the origin knows the reason. */
function causeChain(error: unknown): Error[] {
  const chain: Error[] = [];
  let link = error;
  while (link instanceof Error && chain.length < MAX_CAUSES) {
    chain.unshift(link);
    link = link.cause;
  }
  return chain;
}

const SHORTEST_MS = 1000;

/** Where a remote asks for more, the next attempt comes after an hour: a wrong header must not stop it for a year. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Where nothing says how long: what Slack's documentation of its rate limits advises. */
export const UNSPECIFIED_PAUSE_MS = 30_000;

const SECONDS = /^\d+(?:\.\d+)?$/;

/** RFC 9110, 5.6.7: the three forms of a date, of which only asctime's has no zone. It is UTC all the same. */
const HTTP_DATE = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? [\w :-]+$/;

export interface AskedPause {
  /** What is obeyed: from a second to an hour. */
  readonly ms: number;
  /** What was asked for, where that is more than is obeyed, in milliseconds. */
  readonly overlongMs: number | undefined;
}

/**
 * What a Retry-After asks for (RFC 9110, 10.2.3), or the like of it in a JSON answer.
 * @param asked a number of seconds, as a number or as text, or an HTTP date; anything else is no answer to "how long"
 * @param nowMs since the epoch
 */
export function askedPause(asked: unknown, nowMs: number): AskedPause {
  const ms = Math.ceil(millisecondsIn(asked, nowMs));
  if (!Number.isSafeInteger(ms)) return { ms: UNSPECIFIED_PAUSE_MS, overlongMs: undefined };
  return { ms: obeyedMs(ms), overlongMs: ms > LONGEST_PAUSE_MS ? ms : undefined };
}

/** Whoever asks for it: a whole number that can be compared, added up and written down. */
export function obeyedMs(ms: number): number {
  if (Number.isNaN(ms)) return UNSPECIFIED_PAUSE_MS;
  return Math.min(Math.max(Math.ceil(ms), SHORTEST_MS), LONGEST_PAUSE_MS);
}

/** NaN where it cannot be read. */
function millisecondsIn(asked: unknown, nowMs: number): number {
  if (typeof asked === 'number') return asked < 0 ? Number.NaN : asked * 1000;
  if (typeof asked !== 'string') return Number.NaN;
  const text = asked.trim();
  if (SECONDS.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return Number.NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) - nowMs;
}
