/** Calls a chat service over HTTP, each call within a deadline. */
import { readVersion } from '../../package-files.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import {
  exchange,
  type HttpAnswer,
  type HttpRequest,
  NothingSent,
  type OpenPool,
} from '../../outbound/exchange.ts';
import type { Words } from '../failure.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';

export interface HttpCall extends Pick<HttpRequest, 'method' | 'body' | 'mostBytes'> {
  readonly url: URL;
  readonly headers?: HttpRequest['headers'];
}

/** The headers of each call. Discord refuses clients whose user agent lacks a version and a URL. */
export const OWN_HEADERS = {
  'user-agent': `botbell/${readVersion()} (+https://www.npmjs.com/package/botbell)`,
  'accept-encoding': 'identity',
} as const;

const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' } as const;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' } as const;
export const FORM_HEADERS = { ...OWN_HEADERS, ...FORM_TYPE };
/** @param headers win over our own, but do not name another type */
export const jsonHeaders = (headers: HttpCall['headers']) => ({ ...OWN_HEADERS, ...headers, ...JSON_TYPE });

/** How long `verify` waits for an answer, in milliseconds. */
export const VERIFY_TIMEOUT_MS = 5_000;

export function jsonCall(url: URL, message: unknown, headers: HttpCall['headers'] = {}): HttpCall {
  return { url, headers: jsonHeaders(headers), body: JSON.stringify(message) };
}

export function formCall(url: URL, fields: Readonly<Record<string, string>>): HttpCall {
  return { url, headers: FORM_HEADERS, body: new URLSearchParams(fields).toString() };
}

export type Remote = ReturnType<typeof openRemote>;

/** Has a pool of connections for each origin, opened at the first call. */
export function openRemote(title: Words, openPool: OpenPool) {
  const pools = new Map<string, Promise<HttpPool>>();
  const poolTo = (origin: string): Promise<HttpPool> => {
    const pool = pools.get(origin) ?? openPool(origin);
    pools.set(origin, pool);
    return pool;
  };
  return {
    /** @param deadline on the scale of `performance.now()` @throws {Error} of the network: see `networkErrorOf` */
    call: (
      { url, headers = OWN_HEADERS, method, body, mostBytes = 65_536 }: HttpCall,
      deadline: number,
      onWritten?: () => unknown,
    ): Promise<HttpAnswer> => {
      const path = url.pathname + url.search;
      const asked = { method, body, deadline, path, headers, mostBytes, onWritten };
      const answered = poolTo(url.origin).then((pool) => exchange(pool, asked));
      if (body) return answered;
      return answered.catch((error: unknown) => {
        // Only a check has no body; its error must not say that a message may have arrived.
        throw new NothingSent(error);
      });
    },
    free: async (): Promise<void> => {
      await Promise.all([...pools.values()].map(async (pool) => (await pool).destroy()));
    },
    failureOf: (error: unknown) => networkFailureOf(title, networkErrorOf(error)),
  };
}
