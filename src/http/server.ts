/** A listening HTTP server that bounds slow clients and can be closed without cutting anybody off early. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConnectionReader, GatheringRequest, type Handler, RequestQueue, RoundRobin } from './connection.ts';
import { connectionLimits, type ConnectionLimits, Connections } from './connections.ts';
import { answerPlainly, type ProblemDetails, rawAnswer } from './problem.ts';
import { directAddress, type SenderHead, sourceOf } from './sender.ts';

/** How long a connection is kept for a next request. */
const KEEP_ALIVE_MS = 5000;

const IDLE_CHECK_MS = 50;

/** So much of an upload that was answered before its end is still read, for so long: see `closeGently`. */
const LINGER_MS = 5000;
const LINGER_BYTES = 64 * 1024 * 1024;

export interface ListeningServer {
  readonly host: string;
  /** The real one where the config said 0. */
  readonly port: number;
  /** Takes no new connections, lets requests finish for at most `withinMs`, then cuts what is left. */
  close(withinMs: number): Promise<void>;
}

/** What no handler gets to see: no HTTP, too large a head, or too slow. */
export interface MalformedRequest {
  /** HTTP status code that it was answered with. */
  readonly status: number;
  readonly detail: string;
  /** The address that the connection came from. */
  readonly from: string;
}

/** Headers, and headers with body, must have come within these; Node answers 408 itself otherwise. */
const TIMEOUTS = { headersMs: 10_000, requestMs: 15_000, checkMs: 1000 };

export type ServerTimeouts = Readonly<typeof TIMEOUTS>;

export interface ServerOptions {
  readonly timeouts?: ServerTimeouts;
  readonly limits?: ConnectionLimits;
  /** The address that a request counts as coming from; by default that of its connection. */
  readonly senderOf?: (request: SenderHead) => string;
  readonly onMalformed?: (request: MalformedRequest) => void;
}

/** @throws {Error} the address is taken or not ours, in words */
export async function listen(
  handler: Handler,
  address: { readonly host: string; readonly port: number },
  options: ServerOptions = {},
): Promise<ListeningServer> {
  const { timeouts = TIMEOUTS } = options;
  const server = createServer({
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Whatever Node answers by itself, it answers as often as it is asked; see `problemOfHead`.
    requireHostHeader: false,
    IncomingMessage: GatheringRequest,
  });
  // Those beyond it would be left out in silence, and with them what a proxy has added.
  server.maxHeadersCount = 0;
  const connections = keepConnections(server, handler, options);
  await started(server, address);
  const sweep = setInterval(() => connections.sweep(performance.now()), timeouts.checkMs).unref();
  server.once('close', () => clearInterval(sweep));
  const { port } = server.address() as AddressInfo;
  return { host: address.host, port, close: (withinMs) => close(server, connections, withinMs) };
}

function keepConnections(
  server: Server,
  handler: Handler,
  { limits = connectionLimits(), senderOf = directAddress, onMalformed }: ServerOptions,
): Connections {
  const report = ({ status, detail }: ProblemDetails, from: string) =>
    onMalformed?.({ status, detail, from });
  const connections = new Connections({
    limits,
    senderOf,
    handler: (request, response) => {
      const problem = problemOfHead(request);
      if (problem === undefined) return handler(request, response);
      answerPlainly(response, problem);
      return report(problem, senderOf(request));
    },
    onNotAwaited: endWith,
  });
  const turns = new RoundRobin();
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    RequestQueue.of(request.socket)?.take({ request, response });
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('connection', (socket: Socket) => {
    // Node calls this when an answer that closes the connection is out.
    socket.destroySoon = () => closeGently(socket);
    ConnectionReader.start(socket, (request, goOn) => turns.wait(sourceOf(senderOf(request)), goOn));
    connections.add(socket);
  });
  // What Node refuses before a handler sees it still gets a problem for an answer.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy();
    return report(refuse(socket, clientProblem(error.code)), directAddress({ socket }));
  });
  // Node would close the connection without a word.
  server.on('connect', (request: IncomingMessage) =>
    report(refuse(request.socket, NO_TUNNEL), senderOf(request)),
  );
  return connections;
}

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop that one, or take another port',
  EACCES: 'this user may not; take a port from 1024 on',
  EADDRNOTAVAIL: 'this machine has no such address',
};

function started(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const { code = error.message } = error;
      const hint = HINTS[code];
      const reason = hint === undefined ? code : `${hint} (${code})`;
      reject(new Error(`cannot listen on ${host}:${port}: ${reason}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

function refuse(socket: Socket, problem: ProblemDetails): ProblemDetails {
  endWith(socket, problem);
  ConnectionReader.of(socket)?.drop();
  return problem;
}

const NO_TUNNEL: ProblemDetails = {
  status: 405,
  detail: 'CONNECT is not allowed here.',
  headers: { Allow: 'GET, HEAD, POST' },
};

function endWith(socket: Socket, problem: ProblemDetails): void {
  socket.end(rawAnswer(problem));
  destroyLater(socket);
}

/**
 * Closing while the sender is still uploading resets the connection, and with it goes the answer that the sender has
 * not read yet. So only our side is closed, and what keeps coming is dropped, within bounds (nginx: lingering_close).
 */
function closeGently(socket: Socket): void {
  // Node asks for it, and so do we where it does not.
  if (socket.writableEnded) return;
  const request = RequestQueue.of(socket)?.current?.request;
  // What Node refuses by itself is no request to us.
  if (request === undefined || request.complete) {
    socket.end(() => socket.destroy());
    return;
  }
  socket.end();
  request.unpipe();
  request.once('end', () => socket.destroy());
  dropRest(request, socket);
  destroyLater(socket);
}

function dropRest(request: IncomingMessage, socket: Socket): void {
  let bytesLeft = LINGER_BYTES;
  const drop = () => {
    const piece: unknown = request.read();
    if (piece instanceof Buffer) bytesLeft -= piece.length;
    if (bytesLeft < 0) socket.destroy();
  };
  request.on('readable', drop);
  drop();
}

function destroyLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

function clientProblem(code: string | undefined): ProblemDetails {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, detail: 'The request took too long to arrive.' };
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, detail: 'The request headers are too large.' };
  return { status: 400, detail: 'This is not well-formed HTTP.' };
}

const CLOSING: ProblemDetails = {
  status: 503,
  detail: 'Botbell is shutting down.',
  headers: { 'Retry-After': '30' },
};

async function close(server: Server, connections: Connections, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.endUnread(CLOSING);
  // A connection whose request finishes after close() stays open for keep-alive unless it is closed once idle.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** Node's own limit is on all of them together (16 KiB); an ordinary request has ten. */
const MOST_HEADERS = 200;

const CODINGS: ReadonlySet<string | undefined> = new Set([undefined, 'chunked']);

/** What is wrong with a request's head; undefined: nothing. */
function problemOfHead({ headers, rawHeaders, httpVersion }: IncomingMessage): ProblemDetails | undefined {
  // Names and values by turns.
  if (rawHeaders.length > 2 * MOST_HEADERS)
    return { status: 431, detail: `The request has more than ${MOST_HEADERS} headers.` };
  if (Number(headers['content-length'] ?? 0) > Number.MAX_SAFE_INTEGER)
    return { status: 400, detail: 'The Content-Length is beyond 2^53.' };
  // Node unpacks nothing but chunks, and takes what another coding has made of it for the body.
  if (!CODINGS.has(headers['transfer-encoding']?.trim().toLowerCase()))
    return { status: 400, detail: 'The only Transfer-Encoding is chunked.' };
  if (headers.host === undefined && httpVersion === '1.1')
    return { status: 400, detail: 'The request has no Host header.' };
  // Node keeps the first one, a proxy perhaps the last: who is meant must not depend on who reads it (RFC 9112, 3.2).
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && isHost(name));
  return hosts.length > 1 ? { status: 400, detail: 'The request has more than one Host header.' } : undefined;
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}
