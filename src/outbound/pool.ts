/** Opens a pool of connections to one origin, directly or through a forward proxy: by a tunnel to https:, else by absolute URLs. */
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { HOST_OPTIONS } from './lookup.ts';
import { type Proxy, ProxyError } from './proxy.ts';

/** No timeouts for answers, since each request has its deadline. */
const POOL_LIMITS = {
  connections: 50,
  connect: { timeout: 5_000, ...HOST_OPTIONS },
  headersTimeout: 0,
  bodyTimeout: 0,
  /** A connection is kept between messages for so long, or for a second less than the server announces if that is shorter. */
  keepAliveTimeout: 30_000,
  keepAliveMaxTimeout: 30_000,
  keepAliveTimeoutThreshold: 1_000,
  /** Bytes; a chat service answers with some kilobytes. */
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
  /** The error of an answer with this status if it comes from the proxy; undefined: the origin answered. */
  readonly errorOf?: (status: number) => Error | undefined;
  /** The proxy whose answer is waited for before there is a connection; undefined: it has given one, or there is no proxy. */
  readonly awaited?: () => Proxy | undefined;
}

/** Connects at the first request. */
export function openPool(origin: string, proxy?: Proxy): HttpPool {
  if (proxy === undefined) return new Pool(origin, POOL_LIMITS);
  return origin.startsWith('https:') ? tunnelled(origin, proxy) : askedFor(origin, proxy);
}

const { connect: CONNECT, connections: MAX_TUNNELS } = POOL_LIMITS;

/** Tunnels by CONNECT (RFC 9110, 9.3.6). */
function tunnelled(origin: string, proxy: Proxy): HttpPool {
  const { authorization } = proxy;
  // The answer to CONNECT needs its own limit: a silent proxy would hold the connection for minutes.
  const limits = { connections: MAX_TUNNELS, headersTimeout: CONNECT.timeout };
  const connecting = new Set<unknown>();
  const agent = new ProxyAgent({
    uri: proxy.origin,
    ...(authorization !== undefined && { token: authorization }),
    proxyTls: CONNECT,
    requestTls: CONNECT,
    clientFactory: (url, options) => tunnels(proxy, new Pool(url, { ...options, ...limits }), connecting),
    factory: (url, { connect }: Pool.Options) => new Pool(url, { ...POOL_LIMITS, connect }),
  });
  return {
    // A copy of the headers, since the agent adds one to them.
    dispatch: ({ headers, ...options }, handler) =>
      agent.dispatch({ ...options, headers: { ...headers }, origin }, handler),
    destroy: () => agent.destroy(),
    awaited: () => (connecting.size > 0 ? proxy : undefined),
  };
}

/** The agent itself would give the proxy's status only in a message, and retry for ever after a reset; a `ProxyError` ends that. */
function tunnels(proxy: Proxy, pool: Pool, connecting: Set<unknown>): Dispatcher {
  const connect = pool.connect.bind(pool);
  return Object.assign(pool, {
    connect(options: Dispatcher.ConnectOptions) {
      const asked = connect(options);
      connecting.add(asked);
      return connected(asked, proxy).finally(() => connecting.delete(asked));
    },
  });
}

async function connected(
  connecting: Promise<Dispatcher.ConnectData>,
  proxy: Proxy,
): Promise<Dispatcher.ConnectData> {
  const answer = await connecting.catch((cause: unknown) => {
    throw new ProxyError(proxy, { cause });
  });
  // Any 2xx opens the tunnel, but undici's agent accepts only 200.
  if (answer.statusCode >= 200 && answer.statusCode <= 299) return { ...answer, statusCode: 200 };
  answer.socket.on('error', () => undefined).destroy();
  throw new ProxyError(proxy, { status: answer.statusCode });
}

/** Sends the proxy requests in absolute form (RFC 9112, 3.2.2). */
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
