/** Calls a listener's handler as a function of a request, without a socket. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Handler } from '../../src/http/server.ts';

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Never settles if the handler never answers, as when its process dies. */
export function ask(handle: Handler, { method, url, headers = {}, body = '' }: Request): Promise<Answer> {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' });
  const request = new IncomingMessage(socket);
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  Object.assign(request, { method, url, headers: { host: 'localhost', ...length, ...headers } });
  if (body !== '') request.push(body);
  request.push(null);
  request.complete = true;
  return new Promise((resolve) => void handle(request, new Answering(request, resolve)));
}

class Answering extends ServerResponse {
  readonly #resolve: (answer: Answer) => void;

  constructor(request: IncomingMessage, resolve: (answer: Answer) => void) {
    super(request);
    this.#resolve = resolve;
  }

  override end(body?: unknown): this {
    this.finished = true;
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? String(body) : '';
    this.#resolve({ status: this.statusCode, headers: this.getHeaders(), body: text });
    this.emit('finish');
    return this;
  }
}
