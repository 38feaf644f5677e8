/** Calls a chat service over HTTP, each call within a deadline. */
import { readVersion } from '../../package-files.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { exchange, type HttpAnswer, type HttpRequest, type OpenPool } from '../../outbound/exchange.ts';
import type { Words } from '../failure.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import type { Sending } from '../open-channel.ts';

/** A request, but for its deadline. */
export interface HttpCall extends Pick<HttpRequest, 'method' | 'body'> {
  readonly url: URL;
  readonly headers?: HttpRequest['headers'];
}

export interface RemoteCall extends HttpCall, Pick<HttpRequest, 'deadline'> {
  /** Whose connections it uses, so that a call that hangs delays no other's. */
  readonly hook?: string;
}

/** The most bytes that are read of an answer's body. */
const MOST_BYTES = 65_536;

/** Discord refuses clients whose user agent lacks a version and a URL. */
const USER_AGENT = `botbell/${readVersion()} (+https://www.npmjs.com/package/botbell)`;

export const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' } as const;
export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const;

/** Within which `verify` has an answer, in milliseconds. */
export const VERIFY_TIMEOUT_MS = 5_000;

/** A request of which the body is JSON. */
export function jsonCall(url: URL, message: unknown, headers: HttpCall['headers'] = {}): HttpCall {
  return { url, headers: { ...headers, ...JSON_HEADERS }, body: JSON.stringify(message) };
}

/** Has a pool of connections per hook and origin, opened at the first call. */
export class Remote implements Pick<Sending, 'free' | 'failureOf'> {
  readonly #title: Words;
  readonly #openPool: OpenPool;
  readonly #pools = new Map<string, Promise<HttpPool>>();

  /** @param title the service's name in messages for operators */
  constructor(title: Words, openPool: OpenPool) {
    this.#title = title;
    this.#openPool = openPool;
  }

  /** @returns the answer, of any status, with at most 64 KiB of its body @throws {Error} of the network: see `networkErrorOf` */
  async call({ url, hook, headers, ...call }: RemoteCall): Promise<HttpAnswer> {
    const path = url.pathname + url.search;
    const named = { 'user-agent': USER_AGENT, ...headers };
    const pool = await this.#poolOf(url.origin, hook);
    return exchange(pool, { ...call, path, headers: named, mostBytes: MOST_BYTES });
  }

  #poolOf(origin: string, hook = ''): Promise<HttpPool> {
    const key = `${hook} ${origin}`;
    const pool = this.#pools.get(key) ?? this.#openPool(origin);
    this.#pools.set(key, pool);
    return pool;
  }

  readonly free = async (): Promise<void> => {
    await Promise.all([...this.#pools.values()].map(async (pool) => (await pool).destroy()));
  };

  readonly failureOf = (error: unknown) => networkFailureOf(this.#title, networkErrorOf(error));
}
