/** A listening HTTP server with limits enforced by Node. Closing it lets requests finish first. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock, within } from '../time/clock.ts';
import type { TurnedAway } from './problem.ts';
import { handleRequests } from './refused.ts';

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

/** How long the rest of an upload is read that was answered before its end. */
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
 * @param onTurnedAway is told of these
 * @throws {Error} the address is taken or not ours
 */
export async function listen(
  handler: Handler,
  { host, port }: { readonly host: string; readonly port: number },
  onTurnedAway: (report: TurnedAway) => void,
  timeouts: ServerTimeouts = {},
): Promise<ListeningServer> {
  // Node would refuse a request without a host, and tell nobody.
  const options = { ...TIMEOUTS, ...timeouts, requireHostHeader: false };
  const server = createServer(options);
  handleRequests(server, handler, onTurnedAway);
  server.maxRequestsPerSocket = MOST_REQUESTS_OF_CONNECTION;
  // No limit, since Node silently drops the headers past it, also a proxy's. Node's limit of 16 KiB bounds them.
  server.maxHeadersCount = 0;
  server.on('connection', closeGently);
  keepRoom(server);
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

/** At the limit, closes connections that wait for no answer: those kept open, and of those that have sent nothing the oldest. */
function keepRoom(server: Server): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    if (open.size >= MOST_CONNECTIONS) {
      server.closeIdleConnections();
      [...open].find(({ bytesRead }) => bytesRead === 0)?.destroy();
      for (const each of open) if (each.destroyed) open.delete(each);
    }
    if (open.size >= MOST_CONNECTIONS) return void socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

/**
 * After an answer that closes the connection, Node destroys the socket: a sender that still uploads gets a reset, and may lose the
 * answer. So only our side is closed, and what comes is discarded for `LINGER_MS` (nginx: lingering_close).
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
  await within(withinMs, closed, systemClock);
  server.closeAllConnections();
}
