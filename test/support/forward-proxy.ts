/** A forward proxy on loopback as strict as they come: it tunnels, forwards what is asked for by its whole URL, and may want a password. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What it does with the next request, instead of what it was asked. */
export type ProxyFault = number | 'reset' | 'silence';

interface Login {
  readonly user: string;
  readonly password: string;
}

interface ForwardProxyOptions {
  readonly login?: Login;
  /** Where a name leads that no name server knows: the port of a server on loopback. */
  readonly ports?: Readonly<Record<string, number>>;
}

export interface ForwardProxy {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** What it was asked to connect to, `slack.test:443`, or to fetch, `http://127.0.0.1:1/api/…`, refused or not. */
  readonly asked: readonly string[];
  openTunnels(): number;
  /** How many were open at once. */
  mostTunnels(): number;
  /** Of the next requests, first in, first out. */
  readonly faults: ProxyFault[];
  close(): Promise<void>;
}

export async function startForwardProxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const proxy = new RunningProxy(options);
  await proxy.listen();
  return proxy;
}

class RunningProxy implements ForwardProxy {
  readonly asked: string[] = [];
  readonly faults: ProxyFault[] = [];
  readonly #options: ForwardProxyOptions;
  readonly #sockets = new Set<Duplex>();
  readonly #server = createServer((request, response) => this.#fetch(request, response));
  #tunnels = 0;
  #mostTunnels = 0;

  constructor(options: ForwardProxyOptions) {
    this.#options = options;
    this.#server.on('connect', (request, socket, head) => this.#tunnel(request, socket, head));
    this.#server.on('connection', (socket) => this.#remember(socket));
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  openTunnels(): number {
    return this.#tunnels;
  }

  mostTunnels(): number {
    return this.#mostTunnels;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** RFC 9110, 9.3.6. */
  #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const target = request.url ?? '';
    const refuse = (status: number) => client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    const status = this.#statusOf(request, client, target);
    const [, host = '', port] = /^([^:/@]+):(\d+)$/.exec(target) ?? [];
    if (status !== 200) return void (status === undefined || refuse(status));
    if (request.headers.host !== target && request.headers.host !== host) return void refuse(400);
    const upstream = connect(this.#options.ports?.[host] ?? Number(port), '127.0.0.1');
    this.#remember(upstream);
    upstream.once('error', () => refuse(502));
    upstream.once('connect', () => {
      this.#tunnels += 1;
      this.#mostTunnels = Math.max(this.#mostTunnels, this.#tunnels);
      upstream.once('close', () => (this.#tunnels -= 1));
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
    const target = URL.canParse(url) ? new URL(url) : undefined;
    if (status !== 200 || target?.protocol !== 'http:' || headers.host !== target.host) {
      response.writeHead(status === 200 ? 400 : status).end();
      return;
    }
    const passed = Object.entries(headers).filter(([name]) => !/^proxy-|^connection$/.test(name));
    const port = this.#options.ports?.[target.hostname] ?? Number(target.port || 80);
    const upstream = forward({
      host: '127.0.0.1',
      port,
      method,
      path: target.pathname + target.search,
      headers: Object.fromEntries(passed),
    });
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
    const fault = this.faults.shift();
    if (fault === 'silence') return undefined;
    if (fault === 'reset') return void (client as Socket).resetAndDestroy();
    if (fault !== undefined) return fault;
    const { login } = this.#options;
    const wanted = login && Buffer.from(`${login.user}:${login.password}`).toString('base64');
    return wanted === undefined || headers['proxy-authorization'] === `Basic ${wanted}` ? 200 : 407;
  }

  #remember(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
  }
}
