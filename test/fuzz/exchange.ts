/** Bytes on a connection, at whatever pace, and all that comes back, read as HTTP. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What is done to a connection, in turn. */
export type Step =
  | { readonly send: string | Uint8Array }
  | { readonly pauseMs: number }
  /** Half of the connection: nothing more is sent, answers are still read. */
  | { readonly end: true }
  | { readonly reset: true }
  /** Answers are left in the socket's buffers from here on. */
  | { readonly stopReading: true };

export interface ExchangeOptions {
  readonly port: number;
  readonly from: string;
  /** The connection is cut when it takes longer. */
  readonly patienceMs: number;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The body is as long as was said. */
  readonly isWhole: boolean;
}

export interface Exchanged {
  readonly answers: readonly Answer[];
  /** What came behind the last answer. */
  readonly rest: string;
  readonly ms: number;
  /** Whether the server closed the connection before patience ended. */
  readonly isClosed: boolean;
}

/** More answers than this are not read. */
const MOST_BYTES = 20_000_000;

export async function exchange(steps: readonly Step[], options: ExchangeOptions): Promise<Exchanged> {
  const { port, from, patienceMs } = options;
  const begun = performance.now();
  const chunks: Buffer[] = [];
  let received = 0;
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received > MOST_BYTES) socket.destroy();
    else chunks.push(chunk);
  });
  socket.on('error', () => undefined);
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      isClosed = true;
      resolve();
    };
    socket.once('end', end);
    socket.once('close', end);
  });
  const patience = new AbortController();
  await Promise.race([
    play(socket, steps).then(() => closed),
    sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
  ]);
  patience.abort();
  const wasClosed = isClosed;
  socket.destroy();
  return { ...answersIn(Buffer.concat(chunks)), ms: performance.now() - begun, isClosed: wasClosed };
}

async function play(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return;
    if ('send' in step) socket.write(step.send);
    else if ('pauseMs' in step) await sleep(step.pauseMs);
    else if ('end' in step) socket.end();
    else if ('stopReading' in step) socket.pause();
    else socket.resetAndDestroy();
  }
}

function answersIn(bytes: Buffer): Pick<Exchanged, 'answers' | 'rest'> {
  const answers: Answer[] = [];
  let at = 0;
  for (;;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd < 0) return { answers, rest: bytes.subarray(at).toString('latin1') };
    const [statusLine = '', ...lines] = bytes.subarray(at, headEnd).toString('latin1').split('\r\n');
    if (!/^HTTP\/1\.1 \d{3} /.test(statusLine))
      return { answers, rest: bytes.subarray(at).toString('latin1') };
    const status = Number(statusLine.split(' ')[1]);
    const headers = new Map(lines.map(asHeader));
    const bodyStart = headEnd + 4;
    const length = status < 200 ? 0 : Number(headers.get('content-length') ?? NaN);
    const bodyEnd = Number.isNaN(length) ? bytes.length : bodyStart + length;
    const body = bytes.subarray(bodyStart, bodyEnd).toString('utf8');
    if (status >= 200) answers.push({ status, headers, body, isWhole: bodyEnd <= bytes.length });
    if (bodyEnd >= bytes.length) return { answers, rest: '' };
    at = bodyEnd;
  }
}

function asHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
