/** Tells of what is refused before there is a request to handle: what is no HTTP/1.1, or does not come in time. Node answers it. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TurnedAway } from './problem.ts';

type Refusal = Pick<TurnedAway, 'status' | 'problem'>;

/** What senders begin with that take the port for another one: what it is, and what to do. */
const PROTOCOLS: readonly (readonly [beginning: RegExp, problem: string])[] = [
  [
    /^(?:PROXY |\r\n\r\n\0\r\nQUIT\n)/,
    'the PROXY protocol, which is not spoken here; have the balancer send X-Forwarded-For in place of it',
  ],
  [/^\x16\x03/, 'TLS, which is not spoken here; write http:// for https://, or put a proxy in front'],
  [/^PRI \* HTTP\/2/, 'HTTP/2, which is not spoken here; have the proxy speak HTTP/1.1'],
];

const LONGEST_BEGINNING = 16;

/** By the code of Node's error. The status is that of Node's answer. */
const BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, problem: 'headers of more than 16 KiB' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, problem: 'chunk extensions of more than 16 KiB' },
  HPE_INVALID_EOF_STATE: { status: 400, problem: 'the sender ended in the middle of its request' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, problem: 'the request did not come whole in time' },
};

/** As Node names them: `HPE_…` is its parser's. */
type ServerError = NodeJS.ErrnoException & { readonly reason?: string; readonly rawPacket?: Uint8Array };

/** Undefined: the connection broke, which refuses nothing. What it quotes is Node's own, not the sender's. */
function refusalOf({ code = '', reason, rawPacket }: ServerError): Refusal | undefined {
  const known = BY_CODE[code];
  if (known !== undefined || !code.startsWith('HPE_')) return known;
  const beginning = Buffer.from(rawPacket?.subarray(0, LONGEST_BEGINNING) ?? []).toString('latin1');
  const protocol = PROTOCOLS.find(([sign]) => sign.test(beginning))?.[1];
  return { status: 400, problem: protocol ?? `no HTTP/1.1: ${reason ?? code}` };
}

/** Whether it must name a host (RFC 9112, 3.2), and does not. */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
}

/** Whether what is met on the connection belongs to a request that is being answered, or was without its body. */
function isHandled(latest: ServerResponse | undefined): boolean {
  return latest !== undefined && !(latest.writableFinished && latest.req.complete);
}

/**
 * Has `handler` answer what is a request. Of one that breaks off meanwhile the handler tells by itself; of a connection on which
 * nothing was sent, nobody: browsers and balancers open some in advance.
 */
export function handleRequests(
  server: Server,
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
  onTurnedAway: (report: TurnedAway) => void,
): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const refuse = (request: IncomingMessage, response: ServerResponse, refusal: Refusal) => {
    response.writeHead(refusal.status, { Connection: 'close' }).end();
    onTurnedAway({ ...refusal, from: request.socket.remoteAddress ?? '' });
  };
  server.on('connection', (socket: Socket) => {
    // Read now: a socket that is closed knows it no longer.
    const from = socket.remoteAddress ?? '';
    socket.on('error', (error) => {
      const refusal = isHandled(latest.get(socket)) || socket.bytesRead === 0 ? undefined : refusalOf(error);
      if (refusal !== undefined) onTurnedAway({ ...refusal, from });
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response);
    if (lacksHost(request)) refuse(request, response, { status: 400, problem: 'no Host header' });
    else void handler(request, response);
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
