/** One HTTP request on a connection of its own, from any loopback address, that always ends with an account of itself. */
import { request } from 'node:http';

export interface TimedRequest {
  readonly port: number;
  readonly path: string;
  /** GET without a body, POST with one, where it is left out. */
  readonly method?: string;
  /** Beside the content type, JSON, and the length of a body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Loopback address to connect from, e.g. `127.0.0.2`. */
  readonly from?: string;
  readonly patienceMs?: number;
}

export interface Probe {
  /** Milliseconds since the epoch, of the request's begin. */
  readonly at: number;
  readonly ms: number;
  /** 0: no answer. */
  readonly status: number;
  /** Of the answer; where there is none, why. */
  readonly body: string;
}

/** Longer than any answer should take. */
const PATIENCE_MS = 60_000;

/** Never rejects: without an answer, the status is 0. */
export function timedRequest(options: TimedRequest): Promise<Probe> {
  const { port, path, body, from = '127.0.0.1', patienceMs = PATIENCE_MS } = options;
  const { method = body === undefined ? 'GET' : 'POST' } = options;
  const headers = { ...(body !== undefined && headersOf(body)), ...options.headers };
  const at = Date.now();
  const begun = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, text: string) =>
      resolve({ at, ms: performance.now() - begun, status, body: text });
    const place = { host: '127.0.0.1', port, path, localAddress: from };
    const asked = request({ ...place, method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('error', (error) => end(0, error.message));
      answer.on('end', () => {
        end(answer.statusCode ?? 0, text);
      });
    });
    const timer = setTimeout(() => asked.destroy(new Error(`no answer in ${patienceMs} ms`)), patienceMs);
    asked.on('error', (error) => end(0, error.message));
    asked.on('close', () => clearTimeout(timer));
    asked.end(body);
  });
}

function headersOf(body: string | Uint8Array): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
}
