/** A listening HTTP server within Node's own limits, which can be closed without cutting anybody off early. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock, within } from '../time/clock.ts';

/**
 * Headers, and headers with body, must have come within these; who is slower is for a proxy to wait for. Idle connections
 * are kept longer than a proxy keeps them (nginx: 60 s): a request on one that is being closed is answered by a reset.
 */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
} as const;

const MOST_CONNECTIONS = 1000;
const MOST_REQUESTS_OF_CONNECTION = 1000;

/** So long the rest of an upload is still read that was answered before its end. */
const LINGER_MS = 5000;

export type ServerTimeouts = Partial<Record<keyof typeof TIMEOUTS, number>>;

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface ListeningServer {
  readonly host: string;
  /** The real one where the config said 0. */
  readonly port: number;
  /** Takes no new connections, lets requests finish for at most `withinMs`, then cuts what is left. */
  close(withinMs: number): Promise<void>;
}

/** What is no HTTP, too large a head, or too slow is answered by Node itself. @throws {Error} the address is taken or not ours */
export async function listen(
  handler: Handler,
  { host, port }: { readonly host: string; readonly port: number },
  timeouts: ServerTimeouts = {},
): Promise<ListeningServer> {
  const server = createServer(
    { ...TIMEOUTS, ...timeouts },
    (request, response) => void handler(request, response),
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.maxRequestsPerSocket = MOST_REQUESTS_OF_CONNECTION;
  // Past a count Node leaves headers out in silence, and with them what a proxy has added; 16 KiB bound them.
  server.maxHeadersCount = 0;
  server.on('connection', closeGently);
  await started(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  return { host, port: bound, close: (withinMs) => close(server, withinMs) };
}

function started(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

/**
 * Once an answer that closes the connection is out, Node destroys the socket. To a sender that is still uploading this
 * is a reset, which may take away the answer before it is read. So only our side is closed, and Node discards what keeps
 * coming for a while (nginx: lingering_close).
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
  // Those that are answered from now on are closed, not kept for a next request.
  server.keepAliveTimeout = 1;
  await within(withinMs, closed, systemClock);
  server.closeAllConnections();
}
