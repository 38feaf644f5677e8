/** A chat service over HTTP: one request within a deadline. */
import { readVersion } from '../../package-files.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { exchange, type HttpAnswer, type HttpRequest, type OpenPool } from '../../outbound/exchange.ts';
import type { Channel } from '../channel.ts';
import type { Words } from '../failure.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import { openedChannel } from '../open-channel.ts';

export interface Call extends Pick<HttpRequest, 'method' | 'body' | 'deadline'> {
  readonly url: URL;
  readonly headers?: HttpRequest['headers'];
}

/** Of an answer that a service gives: no more is read of it. */
const MOST_BYTES = 65_536;

/** Discord refuses what does not name itself with a version and a URL. */
const USER_AGENT = `botbell/${readVersion()} (+https://www.npmjs.com/package/botbell)`;

export const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' } as const;
export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const;

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
  async call({ url, headers, ...call }: Call): Promise<HttpAnswer> {
    const path = url.pathname + url.search;
    const named = { 'user-agent': USER_AGENT, ...headers };
    const pool = await this.#poolOf(url.origin);
    return exchange(pool, { ...call, path, headers: named, mostBytes: MOST_BYTES });
  }

  #poolOf(origin: string): Promise<HttpPool> {
    const pool = this.#pools.get(origin) ?? this.#openPool(origin);
    this.#pools.set(origin, pool);
    return pool;
  }

  /** A channel that sends by these calls. */
  channel(sending: Pick<Channel, 'send' | 'verify'>): Channel {
    return openedChannel({
      ...sending,
      free: async () =>
        void (await Promise.all([...this.#pools.values()].map(async (pool) => (await pool).destroy()))),
      failureOf: (error) => networkFailureOf(this.#title, networkErrorOf(error)),
    });
  }
}
