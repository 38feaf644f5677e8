/** A chat service over HTTP: one request within a deadline, and what its answer means where the service says nothing of its own. */
import { readVersion } from '../package-files.ts';
import type { OpenPool } from '../outbound/open-pool.ts';
import type { HttpPool } from '../outbound/pool.ts';
import { get, type HttpAnswer, post } from '../outbound/post.ts';
import { type DeliveryFailure, failureOf, type FailureDetails, type Words } from './failure.ts';
import { networkErrorOf, networkFailureOf } from './network-error.ts';
import { askedPause } from './retry-after.ts';

export interface Call {
  /** POST unless said otherwise. */
  readonly method?: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** On the scale of `performance.now()`. */
  readonly deadline: number;
}

/** Of an answer that a service gives: no more is read of it. */
const MOST_BYTES = 65_536;

/** Discord refuses what does not name itself with a version and a URL. */
const USER_AGENT = `botbell/${readVersion()} (+https://www.npmjs.com/package/botbell)`;

export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const;

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether what is sent there can be read on the way. */
export function isInClear({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !LOOPBACK_HOST.test(hostname);
}

/** Connections to each origin that is called, opened when it first is. */
export class Remote {
  readonly #title: Words;
  readonly #openPool: OpenPool;
  readonly #pools = new Map<string, Promise<HttpPool>>();

  /** @param title what people call the service */
  constructor(title: Words, openPool: OpenPool) {
    this.#title = title;
    this.#openPool = openPool;
  }

  /** Whatever its status: the answer, with at most 64 KiB of its body. @throws {Error} of the network: see `failureOf` */
  async call({ method = 'POST', url, headers, body = '', deadline }: Call): Promise<HttpAnswer> {
    const request = {
      path: url.pathname + url.search,
      headers: { 'user-agent': USER_AGENT, ...headers },
      deadline,
      mostBytes: MOST_BYTES,
    };
    const pool = await this.#poolOf(url.origin);
    return method === 'GET' ? get(pool, request) : post(pool, { ...request, body });
  }

  /** What an error of a call means. */
  failureOf(error: unknown): DeliveryFailure {
    return networkFailureOf(this.#title, networkErrorOf(error));
  }

  #poolOf(origin: string): Promise<HttpPool> {
    const pool = this.#pools.get(origin) ?? this.#openPool(origin);
    this.#pools.set(origin, pool);
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(async (pool) => (await pool).destroy()));
  }
}

/** What a service's own code, or a status of its answers, means. */
export interface Meaning extends Pick<FailureDetails, 'class' | 'concerns' | 'retryAfterMs'> {
  readonly words: Words;
}

export interface Answers {
  readonly title: Words;
  /** By the code that `codeOf` finds, else by the status, else by `4xx` where that would refuse the message or its address. */
  readonly meanings: Readonly<Record<string, Meaning>>;
  /** The service's own code in an answer that is no success. */
  readonly codeOf?: (answer: HttpAnswer) => string | undefined;
  /** How long a limited rate is to be waited for: seconds, or a date as of RFC 9110; a `Retry-After` goes before it. */
  readonly waitOf?: (answer: HttpAnswer) => unknown;
  /** Whom a limited rate concerns. */
  readonly limits: 'address' | 'channel';
}

/** Why an answer that is no success is none. */
export function failureOfAnswer(answer: HttpAnswer, answers: Answers): DeliveryFailure {
  const { title, meanings, codeOf } = answers;
  const status = String(answer.status);
  const code = codeOf?.(answer);
  const keys = [code, status, isRefusal(answer.status) ? '4xx' : undefined];
  // A code is anything: none of them may be what every object has, such as `constructor`.
  const known = keys.find((key) => key !== undefined && Object.hasOwn(meanings, key));
  const own = known === undefined ? undefined : meanings[known];
  const { words, ...details } = own === undefined ? meaningOf(answer.status, title) : saidBy(title, own);
  const pause =
    details.class === 'rate_limited' ? { concerns: answers.limits, ...pauseOf(answer, answers) } : {};
  return failureOf(
    { concerns: 'address', ...pause, ...details, code: code ?? `http_${status}` },
    { en: `${words.en} (${code ?? status})`, ja: `${words.ja}（${code ?? status}）` },
  );
}

function saidBy(title: Words, { words, ...details }: Meaning): Meaning {
  return { ...details, words: { en: `${title.en}: ${words.en}`, ja: `${title.ja}：${words.ja}` } };
}

function pauseOf(answer: HttpAnswer, { waitOf }: Answers): Pick<FailureDetails, 'retryAfterMs'> {
  const asked = answer.headers['retry-after']?.toString() ?? waitOf?.(answer);
  const { ms, overlongMs = ms } = askedPause(asked, Date.now());
  return { retryAfterMs: overlongMs };
}

const PASSING: ReadonlySet<number> = new Set([408, 425]);

/** Of the message, or of its address. */
function isRefusal(status: number): boolean {
  return status >= 400 && status <= 499 && status !== 429 && !PASSING.has(status);
}

const UNUSABLE: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410]);

function meaningOf(status: number, { en, ja }: Words): Meaning {
  if (status === 429)
    return {
      class: 'rate_limited',
      words: { en: `${en} limits the rate`, ja: `${ja}のレート制限を受けました` },
    };
  if (status >= 500 || PASSING.has(status)) return { class: 'transient', words: triedAgain(en, ja) };
  if (status >= 300 && status <= 399)
    return {
      class: 'config',
      words: {
        en: `${en} answered with a redirect, which is not followed: put the address that it leads to into the config`,
        ja: `${ja}がリダイレクトを返しました。リダイレクトには従いません。転送先のURLを設定してください`,
      },
    };
  if (UNUSABLE.has(status))
    return {
      class: 'config',
      words: {
        en: `${en} takes nothing at this address: check the URL or token in the config, and whether it was revoked`,
        ja: `${ja}がこの宛先を受け付けません。設定のURLまたはトークンと、無効にされていないかを確認してください`,
      },
    };
  if (status >= 400)
    return {
      class: 'permanent',
      words: { en: `${en} refuses this message`, ja: `${ja}がこのメッセージを受け付けません` },
    };
  return { class: 'transient', words: triedAgain(en, ja) };
}

function triedAgain(en: string, ja: string): Words {
  return {
    en: `${en} could not handle it; the next attempt may succeed`,
    ja: `${ja}で障害が発生しています。次回の送信で成功する可能性があります`,
  };
}

/** The members of an answer that is a JSON object; none of any other. */
export function jsonOf({ body }: Pick<HttpAnswer, 'body'>): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
