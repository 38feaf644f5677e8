/** A proxy that did not make the connection that it was asked for: nothing of the request has left it. */
import type { Proxy } from './proxy.ts';

export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** Without user and password. */
  readonly proxy: string;
  /** Whether it was given a user and password. */
  readonly hadLogin: boolean;
  /** What it answered; undefined: it did not, as `cause` says. */
  readonly status: number | undefined;

  constructor(
    { origin, authorization }: Proxy,
    happened: { readonly status: number } | { readonly cause: unknown },
  ) {
    super(`The proxy ${origin} made no connection`, 'cause' in happened ? { cause: happened.cause } : {});
    this.proxy = origin;
    this.hadLogin = authorization !== undefined;
    this.status = 'status' in happened ? happened.status : undefined;
  }
}

const WHERE_IT_STANDS = 'in `proxy` of the config, or in the environment (HTTPS_PROXY, HTTP_PROXY)';

/** A clause without a full stop: what the proxy answered, and what to do. */
export function answerInWords({ proxy, hadLogin }: ProxyError, status: number): string {
  if (status === 407 && hadLogin)
    return `the proxy ${proxy} refused its user name and password (407); correct them ${WHERE_IT_STANDS}, percent-encoded`;
  if (status === 407)
    return `the proxy ${proxy} asks for a user name and password (407); add them ${WHERE_IT_STANDS}: http://user:password@host:port`;
  if (isLastingAnswer(status))
    return `the proxy ${proxy} refused to connect (${status}); ask whoever runs it to allow this host, or name the host in NO_PROXY`;
  return `the proxy ${proxy} could not connect (${status})`;
}

/** Whether the next attempt would get the same answer. */
export function isLastingAnswer(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
