/** Calls a chat service over HTTP, each call within a deadline. */
import { readVersion } from '../../package-files.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { exchange, type HttpAnswer, type HttpRequest, type OpenPool } from '../../outbound/exchange.ts';
import type { Channel } from '../channel.ts';
import type { Words } from '../failure.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import { openedChannel } from '../open-channel.ts';

export interface Call extends Pick<HttpRequest, 'method' | 'body' | 'deadline'> {
  readonly url: URL;
  /** Whose connections it uses, so that a call that hangs delays no other's. */
  readonly hook?: string;
  readonly headers?: HttpRequest['headers'];
}

/** The most bytes that are read of an answer's body. */
const MOST_BYTES = 65_536;

/** Discord refuses clients whose user agent lacks a version and a URL. */
const USER_AGENT = `botbell/${readVersion()} (+https://www.npmjs.com/package/botbell)`;

export const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' } as const;
export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const;

/** Has a pool of connections per hook and origin, opened at the first call. */
export class Remote {
  readonly #title: Words;
  readonly #openPool: OpenPool;
  readonly #pools = new Map<string, Promise<HttpPool>>();

  /** @param title the service's name in messages for operators */
  constructor(title: Words, openPool: OpenPool) {
    this.#title = title;
    this.#openPool = openPool;
  }

  /** @returns the answer, of any status, with at most 64 KiB of its body @throws {Error} of the network: see `networkErrorOf` */
  async call({ url, hook, headers, ...call }: Call): Promise<HttpAnswer> {
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

  /** An open channel whose `send` and `verify` use this remote; closing it destroys the pools. */
  channel(sending: Pick<Channel, 'send' | 'verify'>): Channel {
    return openedChannel({
      ...sending,
      free: async () =>
        void (await Promise.all([...this.#pools.values()].map(async (pool) => (await pool).destroy()))),
      failureOf: (error) => networkFailureOf(this.#title, networkErrorOf(error)),
    });
  }
}
