/** A forward proxy on loopback, as strict as any: it tunnels, and forwards requests that name a whole URL. */
import { createServer, type IncomingMessage, request as forward } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onLoopback } from './on-loopback.ts';

/** What the proxy does with the next request instead of forwarding it; a number is the status that it answers. */
export type ProxyFault = number | 'reset' | 'silence';

export type ForwardProxy = Awaited<ReturnType<typeof startForwardProxy>>;

export async function startForwardProxy() {
  const asked: string[] = [];
  const faults: ProxyFault[] = [];
  let login: string | undefined;

  /** 200: the proxy forwards the request; undefined: it does not answer. */
  const statusOf = ({ headers, url = '' }: IncomingMessage, client: Duplex): number | undefined => {
    asked.push(url);
    login = headers['proxy-authorization'];
    const fault = faults.shift();
    if (fault === 'silence') return undefined;
    if (fault === 'reset') return void (client as Socket).resetAndDestroy();
    return fault ?? 200;
  };

  /** RFC 9112, 3.2.2. */
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request;
    const status = statusOf(request, request.socket);
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
  });

  /** RFC 9110, 9.3.6. */
  server.on('connect', (request, client, head) => {
    const { url: target = '', headers } = request;
    const refuse = (status: number) => client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    const status = statusOf(request, client);
    const [, host, port] = /^([^:/@]+):(\d+)$/.exec(target) ?? [];
    if (status !== 200) return void (status === undefined || refuse(status));
    if (headers.host !== target && headers.host !== host) return void refuse(400);
    const upstream = connect(Number(port), host);
    remember(upstream);
    upstream.once('error', () => refuse(502));
    upstream.once('connect', () => {
      client.write('HTTP/1.1 204 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
  });

  const { host, remember, close } = await onLoopback(server);
  return {
    host,
    /** All targets of requests, refused ones, too: `127.0.0.1:1` to connect to, `http://127.0.0.1:1/api/…` to fetch. */
    asked,
    login: () => login,
    faults,
    close,
  };
}
