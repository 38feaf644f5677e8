/** A listening HTTP server that bounds slow clients and can be closed without cutting anybody off early. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { PROBLEM_TYPE, problemBody } from './problem.ts';

/** Headers, and headers with body, must have come within these; Node answers 408 itself otherwise. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const TIMEOUT_CHECK_MS = 1000;

const IDLE_CHECK_MS = 50;

/** So much of an upload that was answered before its end is still read, for so long: see `closeGently`. */
const LINGER_MS = 5000;
const LINGER_BYTES = 64 * 1024 * 1024;

const LATEST = Symbol('latest request');

interface Connection extends Socket {
  [LATEST]?: IncomingMessage;
}

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

export interface ServerTimeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly checkMs: number;
}

const DEFAULT_TIMEOUTS: ServerTimeouts = {
  headersMs: HEADERS_TIMEOUT_MS,
  requestMs: REQUEST_TIMEOUT_MS,
  checkMs: TIMEOUT_CHECK_MS,
};

/** @throws {Error} the address is taken or not ours, in words */
export async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
  address: { readonly host: string; readonly port: number },
  timeouts: ServerTimeouts = DEFAULT_TIMEOUTS,
  onMalformed: (request: MalformedRequest) => void = () => undefined,
): Promise<ListeningServer> {
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
    },
    (request, response) => {
      (request.socket as Connection)[LATEST] = request;
      void handler(request, response);
    },
  );
  server.on('connection', (connection: Connection) => {
    // Node calls this when an answer that closes the connection is out.
    connection.destroySoon = () => closeGently(connection);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const malformed = answerClientError(error, socket);
    if (malformed !== undefined) onMalformed(malformed);
  });
  await started(server, address);
  const { port } = server.address() as AddressInfo;
  return { host: address.host, port, close: (withinMs) => close(server, withinMs) };
}

function started(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(`cannot listen on ${host}:${port}: ${error.code ?? error.message}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

/** What Node refuses before a handler sees it still gets a problem for an answer. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): MalformedRequest | undefined {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return undefined;
  }
  const { status, detail } = clientProblem(error.code);
  const body = problemBody({ status, detail });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: ${PROBLEM_TYPE}`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  destroyLater(socket);
  return { status, detail, from: socket.remoteAddress ?? '' };
}

/**
 * Closing while the sender is still uploading resets the connection, and with it goes the answer that the sender has
 * not read yet. So only our side is closed, and what keeps coming is dropped, within bounds (nginx: lingering_close).
 */
function closeGently(socket: Connection): void {
  const request = socket[LATEST];
  // What Node refuses by itself is no request to us.
  if (request === undefined || request.complete) {
    socket.end(() => socket.destroy());
    return;
  }
  socket.end();
  let bytesLeft = LINGER_BYTES;
  request.unpipe();
  request.on('data', (chunk: Buffer) => {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) socket.destroy();
  });
  request.once('end', () => socket.destroy());
  request.resume();
  destroyLater(socket);
}

function destroyLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

function clientProblem(code: string | undefined): { status: number; detail: string } {
  switch (code ?? '') {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, detail: 'The request took too long to arrive.' };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, detail: 'The request headers are too large.' };
    default:
      return { status: 400, detail: 'This is not well-formed HTTP.' };
  }
}

async function close(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose request finishes after close() stays open for keep-alive unless it is closed once idle.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
