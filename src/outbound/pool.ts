/**
 * The connections that a channel over HTTP sends with, all to one origin: directly, or through a forward proxy by a tunnel to an
 * https: origin; an http: one is asked for by the proxy.
 */
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { type Proxy, ProxyError } from './proxy.ts';

/** None for an answer: each request has its deadline. */
const POOL_LIMITS = {
  connections: 50,
  connect: { timeout: 5_000 },
  headersTimeout: 0,
  bodyTimeout: 0,
  /** A chat service answers with some kilobytes. */
  maxResponseSize: 1_048_576,
};

export interface HttpPool {
  dispatch(
    request: Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'body'> & {
      readonly headers: Readonly<Record<string, string>>;
    },
    handler: Dispatcher.DispatchHandler,
  ): unknown;
  destroy(): Promise<void>;
  /** What an answer with this status means that is a proxy's, and not the origin's. */
  readonly errorOf?: (status: number) => Error | undefined;
}

/** Connects when it is first used. */
export function openPool(origin: string, proxy?: Proxy): HttpPool {
  if (proxy === undefined) return new Pool(origin, POOL_LIMITS);
  return origin.startsWith('https:') ? tunnelled(origin, proxy) : askedFor(origin, proxy);
}

const { connect: CONNECT, connections: MAX_TUNNELS } = POOL_LIMITS;

/** RFC 9110, 9.3.6. */
function tunnelled(origin: string, proxy: Proxy): HttpPool {
  const { authorization } = proxy;
  // Without a limit of its own, a proxy that does not answer would hold a connection for minutes.
  const limits = { connections: MAX_TUNNELS, headersTimeout: CONNECT.timeout };
  const agent = new ProxyAgent({
    uri: proxy.origin,
    ...(authorization !== undefined && { token: authorization }),
    proxyTls: CONNECT,
    requestTls: CONNECT,
    clientFactory: (url, options) => tunnels(proxy, new Pool(url, { ...options, ...limits })),
    factory: (url, { connect }: Pool.Options) => new Pool(url, { ...POOL_LIMITS, connect }),
  });
  return {
    dispatch: (options, handler) => agent.dispatch({ ...options, origin }, handler),
    destroy: () => agent.destroy(),
  };
}

/**
 * The agent would say in words alone what the proxy answered; and after a reset it would try again and again, since undici
 * takes that for the end of a connection that was there.
 */
function tunnels(proxy: Proxy, pool: Pool): Dispatcher {
  const connect = pool.connect.bind(pool);
  return Object.assign(pool, {
    connect: (options: Dispatcher.ConnectOptions) => connected(connect(options), proxy),
  });
}

async function connected(
  connecting: Promise<Dispatcher.ConnectData>,
  proxy: Proxy,
): Promise<Dispatcher.ConnectData> {
  const answer = await connecting.catch((cause: unknown) => {
    throw new ProxyError(proxy, { cause });
  });
  // Any 2xx opens the tunnel; the agent takes 200 alone.
  if (answer.statusCode >= 200 && answer.statusCode <= 299) return { ...answer, statusCode: 200 };
  answer.socket.on('error', () => undefined).destroy();
  throw new ProxyError(proxy, { status: answer.statusCode });
}

/** RFC 9112, 3.2.2. */
function askedFor(origin: string, proxy: Proxy): HttpPool {
  const pool = new Pool(proxy.origin, { ...POOL_LIMITS, connect: connectorTo(proxy) });
  const { host } = new URL(origin);
  const { authorization } = proxy;
  const ownHeaders = { host, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
  return {
    dispatch: ({ path, headers, ...options }, handler) =>
      pool.dispatch({ ...options, path: origin + path, headers: { ...headers, ...ownHeaders } }, handler),
    destroy: () => pool.destroy(),
    errorOf: (status) => (status === 407 ? new ProxyError(proxy, { status }) : undefined),
  };
}

function connectorTo(proxy: Proxy): buildConnector.connector {
  const connector = buildConnector(CONNECT);
  return (options, callback) => {
    connector(options, (error, socket) => {
      if (error === null) callback(null, socket);
      else callback(new ProxyError(proxy, { cause: error }), null);
    });
  };
}
