/** Calls a listener's handler as a function of a request, without a socket. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Handler } from '../../src/http/server.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** @param body JSON, or none. Never settles if the handler never answers, as when its process dies. */
export function ask(handle: Handler, method: string, url: string, body = ''): Promise<Answer> {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' });
  const request = new IncomingMessage(socket);
  const ofBody = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  Object.assign(request, { method, url, headers: { host: 'localhost', ...ofBody } });
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
    this.#resolve({ status: this.statusCode, body: text });
    this.emit('finish');
    return this;
  }
}
