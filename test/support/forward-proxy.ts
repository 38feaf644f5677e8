/** A forward proxy on loopback as strict as they come: it tunnels, and forwards what is asked for by its whole URL. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What it does with the next request, instead of what it was asked. */
export type ProxyFault = number | 'reset' | 'silence';

export interface ForwardProxy {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** What it was asked to connect to, `127.0.0.1:1`, or to fetch, `http://127.0.0.1:1/api/…`, refused or not. */
  readonly asked: readonly string[];
  /** The latest `Proxy-Authorization`. */
  login(): string | undefined;
  /** Of the next requests, first in, first out. */
  readonly faults: ProxyFault[];
  close(): Promise<void>;
}

export async function startForwardProxy(): Promise<ForwardProxy> {
  const proxy = new RunningProxy();
  await proxy.listen();
  return proxy;
}

class RunningProxy implements ForwardProxy {
  host = '';
  readonly asked: string[] = [];
  readonly faults: ProxyFault[] = [];
  readonly #sockets = new Set<Duplex>();
  readonly #server = createServer((request, response) => this.#fetch(request, response));
  #login: string | undefined;

  constructor() {
    this.#server.on('connect', (request, socket, head) => this.#tunnel(request, socket, head));
    this.#server.on('connection', (socket) => this.#remember(socket));
  }

  login(): string | undefined {
    return this.#login;
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    this.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server.close(), 'close');
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** RFC 9110, 9.3.6. */
  #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const target = request.url ?? '';
    const refuse = (status: number) => client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    const status = this.#statusOf(request, client, target);
    const [, host, port] = /^([^:/@]+):(\d+)$/.exec(target) ?? [];
    if (status !== 200) return void (status === undefined || refuse(status));
    if (request.headers.host !== target && request.headers.host !== host) return void refuse(400);
    const upstream = connect(Number(port), host);
    this.#remember(upstream);
    upstream.once('error', () => refuse(502));
    upstream.once('connect', () => {
      client.write('HTTP/1.1 204 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
  }

  /** RFC 9112, 3.2.2. */
  #fetch(request: IncomingMessage, response: ServerResponse): void {
    const { url = '', method, headers } = request;
    const status = this.#statusOf(request, request.socket, url);
    if (status === undefined) return;
    const isRight = url.startsWith('http://') && headers.host === new URL(url).host;
    if (status !== 200 || !isRight) return void response.writeHead(status === 200 ? 400 : status).end();
    const passed = Object.entries(headers).filter(([name]) => !/^proxy-|^connection$/.test(name));
    const upstream = forward(url, { method, headers: Object.fromEntries(passed) });
    upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(upstream);
  }

  /** 200: it does as it is asked; undefined: it says nothing. */
  #statusOf({ headers }: IncomingMessage, client: Duplex, asked: string): number | undefined {
    this.asked.push(asked);
    this.#login = headers['proxy-authorization'];
    const fault = this.faults.shift();
    if (fault === 'silence') return undefined;
    if (fault === 'reset') return void (client as Socket).resetAndDestroy();
    return fault ?? 200;
  }

  #remember(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
  }
}
