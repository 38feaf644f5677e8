/**
 * Why a delivery failed: a closed list of classes, by which retry, answer, metric and ledger decide; and what the network's
 * errors and a Retry-After mean.
 */
import { answerInWords, isLastingAnswer, ProxyError } from '../outbound/proxy-error.ts';

/**
 * - `transient`: network, timeout, 5xx, SMTP 4xx: the next attempt may succeed.
 * - `rate_limited`: the remote limits the rate.
 * - `permanent`: the remote will never accept this message or address.
 * - `config`: token, scope, channel, login: fails until someone changes it.
 */
export type FailureClass = 'transient' | 'rate_limited' | 'permanent' | 'config';

export const FAILURE_CLASSES: readonly FailureClass[] = ['transient', 'rate_limited', 'permanent', 'config'];

export interface FailureDetails {
  readonly class: FailureClass;
  /** The remote's own code, or a short one of ours: `channel_not_found`, `ETIMEDOUT`, `550`. */
  readonly code: string;
  /** What happened and what to do about it, in one sentence for an operator. */
  readonly message: string;
  /** How long the remote is to get no more messages, in milliseconds; obeyed from a second to an hour. */
  readonly retryAfterMs?: number;
  /** The remote's own words, where they may be shown: in any language, for whoever reads no English. */
  readonly quote?: string;
}

export class DeliveryFailure extends Error {
  override readonly name = 'DeliveryFailure';
  readonly class: FailureClass;
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  readonly quote: string | undefined;

  constructor(details: FailureDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.class = details.class;
    this.code = details.code;
    this.quote = details.quote;
    this.retryAfterMs = details.retryAfterMs === undefined ? undefined : obeyedMs(details.retryAfterMs);
  }
}

/** Codes by which a remote refuses one address, whatever the message, and whichever app or login sends it. */
const OF_AN_ADDRESS: ReadonlySet<string> = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'is_inactive',
  'messages_tab_disabled',
  'posting_to_channel_denied',
  'team_not_found',
  'user_not_found',
  'EENVELOPE',
]);

/** Slack's `restricted_action_…`, and RFC 5321: a mail server's permanent refusals of a recipient. */
const OF_AN_ADDRESS_BY_FORM = /^restricted_action|^slack_connect_|^55\d$/;

export function concernsAddress({
  class: failureClass,
  code,
}: Pick<FailureDetails, 'class' | 'code'>): boolean {
  const isLasting = failureClass === 'permanent' || failureClass === 'config';
  return isLasting && (OF_AN_ADDRESS.has(code) || OF_AN_ADDRESS_BY_FORM.test(code));
}

/** What went wrong below the protocol: DNS, TCP, TLS, a timeout, a proxy on the way. */
export interface NetworkError {
  /** Node's own code where there is one: `ECONNREFUSED`, `ENOTFOUND`; `proxy_407` for what a proxy answered. */
  readonly code: string;
  /** A clause without a full stop, e.g. `the connection was refused`; what it means for the message is not in it. */
  readonly words: string;
  /** No retry changes it: a certificate or TLS version that was not accepted, a proxy that refuses. */
  readonly isRefusal: boolean;
  /** The remote may have taken the message. */
  readonly mayHaveArrived: boolean;
}

const MAX_CAUSES = 8;

/** undici's and the platform's names for what the operating system already has a code for. */
const SYNONYMS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_BODY_TIMEOUT: 'ETIMEDOUT',
  EPIPE: 'ECONNRESET',
};

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused; check host, port and firewall',
  ECONNRESET: 'the connection broke off before the answer was complete',
  ETIMEDOUT: 'there was no complete answer in time',
  ENOTFOUND: 'the host name is unknown; check its spelling and the DNS',
  EAI_AGAIN: 'the DNS did not answer',
  EHOSTUNREACH: 'the host cannot be reached from here',
  ENETUNREACH: 'the network cannot be reached from here',
};

const AMBIGUOUS: ReadonlySet<string> = new Set(['ECONNRESET', 'ETIMEDOUT']);

const TLS_CODE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|^ERR_SSL|^ERR_TLS|^HOSTNAME_MISMATCH/;
const NODE_CODE = /^[A-Z][A-Z0-9_]+$/;

export function networkErrorOf(error: unknown): NetworkError {
  const ofProxy = causeChain(error).find((link) => link instanceof ProxyError);
  if (ofProxy !== undefined) return proxyErrorOf(ofProxy);
  const code = codeOf(error);
  const mayHaveArrived = AMBIGUOUS.has(code);
  if (TLS_CODE.test(code)) {
    const words = 'its TLS certificate or version was not accepted';
    return { code, words, isRefusal: true, mayHaveArrived };
  }
  const words = WORDS[code] ?? `the connection failed (${code})`;
  return { code, words, isRefusal: false, mayHaveArrived };
}

/** Nothing has got past it. */
function proxyErrorOf(error: ProxyError): NetworkError {
  const { proxy, status, cause } = error;
  if (status === undefined) {
    const { code, words, isRefusal } = networkErrorOf(cause);
    return {
      code,
      words: `the proxy ${proxy} could not be used: ${words}`,
      isRefusal,
      mayHaveArrived: false,
    };
  }
  const words = answerInWords(error, status);
  return { code: `proxy_${status}`, words, isRefusal: isLastingAnswer(status), mayHaveArrived: false };
}

function codeOf(error: unknown): string {
  for (const link of causeChain(error)) {
    if (link.name === 'TimeoutError') return 'ETIMEDOUT';
    for (const key of ['originalCode', 'code']) {
      const code: unknown = Reflect.get(link, key);
      if (typeof code === 'string' && NODE_CODE.test(code)) return SYNONYMS[code] ?? code;
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
