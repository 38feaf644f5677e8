/** A listening HTTP server with limits enforced by Node. Closing it lets requests finish first. Requests that Node itself refuses are reported. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { FaultError, faultsOf } from '../text/fault.ts';
import { systemClock, waitAtMost } from '../time/clock.ts';
import type { TurnedAway } from './problem.ts';
import type { Duplex } from 'node:stream';

/**
 * Milliseconds for the headers and for the whole request; a proxy can wait for slower senders. Idle connections are kept
 * longer than a proxy keeps them (nginx: 60 s), since a request on a connection that is being closed gets a reset.
 */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
} as const;

const MOST_CONNECTIONS = 1000;
const MOST_REQUESTS_OF_CONNECTION = 1000;

/** How long the rest of an upload is read if the answer came before its end. */
const LINGER_MS = 5000;

export type ServerTimeouts = Partial<Record<keyof typeof TIMEOUTS, number>>;

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface ListeningServer {
  readonly host: string;
  readonly port: number;
  /** Takes no new connections, lets requests finish for at most `withinMs`, then cuts what is left. */
  close(withinMs: number): Promise<void>;
}

/**
 * Node answers malformed requests, too large headers and timeouts by itself.
 * @param onTurnedAway gets a report of each of these
 * @throws {Error} the address is in use or not this machine's
 */
export async function listen(
  handler: Handler,
  { host, port }: { readonly host: string; readonly port: number },
  onTurnedAway: (report: TurnedAway) => void,
  timeouts: ServerTimeouts = {},
): Promise<ListeningServer> {
  // By default, Node refuses a request without a Host header, and does not report it.
  const options = { ...TIMEOUTS, ...timeouts, requireHostHeader: false };
  const server = createServer(options);
  const latest: Answers = new WeakMap();
  handleRequests(server, handler, onTurnedAway, latest);
  server.maxRequestsPerSocket = MOST_REQUESTS_OF_CONNECTION;
  // No limit: Node would silently drop the headers past it, even a proxy's. Its limit of 16 KiB bounds them.
  server.maxHeadersCount = 0;
  // Node's types lack this option. Without it, a sender that half-closes the connection after its request, as `nc -N` does, gets no answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', closeGently);
  keepRoom(server, latest);
  await started(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  return { host, port: bound, close: (withinMs) => close(server, withinMs) };
}

// prettier-ignore
const fault = faultsOf({
  listen: ['cannot listen on {where}: {why}', '{where} で待ち受けられません：{why}'],
  EADDRINUSE: ['another program has this port, perhaps a Botbell that runs already: end that, or change `listen`', 'ほかのプログラムがこのポートを使っています（もう1つのBotbellかもしれません）。それを終えるか、`listen` を変えてください'],
  EACCES: ['a port below 1024 is for root: name a higher one in `listen`, behind a proxy', '1024より小さいポートはrootだけが使えます。`listen` を大きい番号にし、プロキシを前に置いてください'],
  EADDRNOTAVAIL: ['this machine has no such address: 127.0.0.1 is this machine alone, 0.0.0.0 all its addresses', 'このマシンにないアドレスです。127.0.0.1 はこのマシンだけ、0.0.0.0 はすべてのアドレスです'],
});

const isKnown = (code: string) => code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL';

function started(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const { code = '', message } = error as NodeJS.ErrnoException;
      const why = isKnown(code) ? fault(code) : message;
      reject(new FaultError(fault('listen', { where: `${host}:${port}`, why }), { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

/** The latest answer on each connection. */
type Answers = WeakMap<Duplex, ServerResponse>;

/**
 * At the limit, closes the oldest connection that waits for no answer: it is idle, the headers of its request have not come, or it
 * was answered and still uploads.
 */
function keepRoom(server: Server, latest: Answers): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    if (open.size >= MOST_CONNECTIONS) {
      const idle = [...open].find((each) => latest.get(each)?.writableFinished !== false);
      if (idle === undefined) return void socket.destroy();
      idle.destroy();
      open.delete(idle);
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

/**
 * After an answer that closes the connection, Node destroys the socket: a sender that still uploads gets a reset, and may lose the
 * answer. So only Botbell's side is closed, and what the sender still sends is discarded for `LINGER_MS` (nginx: lingering_close).
 */
function closeGently(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

async function close(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that is answered from now on is closed, not kept for another request.
  server.keepAliveTimeout = 1;
  await waitAtMost(withinMs, closed, systemClock);
  server.closeAllConnections();
}

type Refusal = Pick<TurnedAway, 'status' | 'problem'>;

/** The first bytes of other protocols that senders use on this port by mistake: what it is, and what to do. */
const PROTOCOLS: readonly (readonly [beginning: RegExp, problem: string])[] = [
  [
    /^(?:PROXY |\r\n\r\n\0\r\nQUIT\n)/,
    'the PROXY protocol, which is not spoken here; have the balancer send X-Forwarded-For in place of it',
  ],
  [/^\x16\x03/, 'TLS, which is not spoken here; write http:// for https://, or put a proxy in front'],
  [/^PRI \* HTTP\/2/, 'HTTP/2, which is not spoken here; have the proxy speak HTTP/1.1'],
];

const LONGEST_BEGINNING = 16;

/** What Node refuses by itself, by the code of its error, with the status that it answers. */
const BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, problem: 'headers of more than 16 KiB' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, problem: 'chunk extensions of more than 16 KiB' },
  HPE_INVALID_EOF_STATE: { status: 400, problem: 'the sender ended in the middle of its request' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, problem: 'the request did not come whole in time' },
};

/** An error of Node's server; codes `HPE_…` are its parser's. */
type ServerError = NodeJS.ErrnoException & { readonly reason?: string; readonly rawPacket?: Uint8Array };

/** Undefined if the connection only broke. The problem quotes Node's reason, never the sender's bytes. */
function refusalOf({ code = '', reason, rawPacket }: ServerError): Refusal | undefined {
  const known = BY_CODE[code];
  if (known !== undefined || !code.startsWith('HPE_')) return known;
  const beginning = Buffer.from(rawPacket?.subarray(0, LONGEST_BEGINNING) ?? []).toString('latin1');
  const protocol = PROTOCOLS.find(([sign]) => sign.test(beginning))?.[1];
  return { status: 400, problem: protocol ?? `no HTTP/1.1: ${reason ?? code}` };
}

/** Whether the request must name a host (RFC 9112, 3.2) and does not. */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
}

/** Whether an error on the connection belongs to a request that is being answered, or was answered before its body had come. */
function isHandled(latest: ServerResponse | undefined): boolean {
  return latest !== undefined && !(latest.writableFinished && latest.req.complete);
}

/**
 * Passes requests to `handler`, which itself reports those that break off while it answers. A connection on which nothing was sent is
 * not reported: browsers and balancers open some in advance.
 */
function handleRequests(
  server: Server,
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
  onTurnedAway: (report: TurnedAway) => void,
  latest: Answers,
): void {
  const refuse = (request: IncomingMessage, response: ServerResponse, refusal: Refusal) => {
    response.writeHead(refusal.status, { Connection: 'close' }).end();
    onTurnedAway({ ...refusal, from: request.socket.remoteAddress ?? '' });
  };
  server.on('connection', (socket: Socket) => {
    // Read now, since a closed socket no longer knows it.
    const from = socket.remoteAddress ?? '';
    socket.on('error', (error) => {
      const refusal = isHandled(latest.get(socket)) || socket.bytesRead === 0 ? undefined : refusalOf(error);
      if (refusal !== undefined) onTurnedAway({ ...refusal, from });
    });
  });
  const answer: Handler = (request, response) => {
    latest.set(request.socket, response);
    if (lacksHost(request)) refuse(request, response, { status: 400, problem: 'no Host header' });
    else void handler(request, response);
  };
  server.on('request', answer);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // `100 Continue` is sent only when the body is to be read: not if path, token or length are wrong.
    request.once('resume', () => response.headersSent || response.writeContinue());
    answer(request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    refuse(request, response, { status: 417, problem: 'it expects something else than 100-continue' }),
  );
  server.on('connect', ({ socket }: IncomingMessage) => {
    const from = socket.remoteAddress ?? '';
    socket.write('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    socket.destroy();
    onTurnedAway({ status: 400, problem: 'CONNECT, which is for proxies', from });
  });
}
