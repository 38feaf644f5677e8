/** The connections that a channel over HTTP sends with, all to one origin, and their limits. */
import { type Dispatcher, Pool } from 'undici';

/** None for an answer: each request has its deadline. */
export const POOL_LIMITS = {
  connections: 50,
  connect: { timeout: 5_000 },
  headersTimeout: 0,
  bodyTimeout: 0,
  /** A chat service answers with some kilobytes. */
  maxResponseSize: 1_048_576,
};

export interface HttpRequest {
  readonly method: Dispatcher.HttpMethod;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpPool {
  dispatch(request: HttpRequest, handler: Dispatcher.DispatchHandler): unknown;
  destroy(): Promise<void>;
  /** What an answer with this status means that is a proxy's, and not the origin's. */
  readonly errorOf?: (status: number) => Error | undefined;
}

/** Connects when it is first used. */
export function openPool(origin: string): HttpPool {
  return new Pool(origin, POOL_LIMITS);
}
