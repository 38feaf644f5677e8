/** What the watcher of the heartbeat sees, and which of its answers count, over HTTP. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { askUrl } from '../../src/outbound/ask-url.ts';
import { poolsThrough } from '../../src/outbound/exchange.ts';
import { NO_PROXIES } from '../../src/outbound/proxy.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';

describe('a URL that is asked', () => {
  let server: Server;
  let origin: string;
  let requests: IncomingMessage[];
  let answer: RequestListener;

  const open = poolsThrough(NO_PROXIES);

  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(request);
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('gets a GET without a body, with its query, on a connection that ends with it', async () => {
    answer = (_request, response) => void response.writeHead(204).end();
    await askUrl(`http://${origin}/ping/abc?status=up`, 5000, open);
    const [request] = requests;
    expect([request?.method, request?.url]).to.deep.equal(['GET', '/ping/abc?status=up']);
    expect(request?.headers).to.include({ 'user-agent': 'botbell' });
    expect(request?.headers).not.to.have.any.keys('content-length', 'transfer-encoding', 'authorization');
    await until('the end of the connection', () => request?.socket.destroyed === true);
  });

  it('gets the login that stands in it as a header, not in the URL', async () => {
    answer = (_request, response) => void response.end('OK');
    await askUrl(`http://me:p%40ss@${origin}/`, 5000, open);
    const login = Buffer.from('me:p@ss').toString('base64');
    expect(requests[0]?.headers).to.include({ authorization: `Basic ${login}`, host: origin });
  });

  it('is not followed elsewhere', async () => {
    answer = (_request, response) => void response.writeHead(302, { location: '/other' }).end();
    expect(await askUrl(`http://${origin}/ping`, 5000, open)).to.equal(302);
    expect(requests).to.have.length(1);
  });

  it('is left where it does not answer in time', async () => {
    answer = () => undefined;
    const error = await rejectionOf(askUrl(`http://${origin}/ping`, 100, open));
    expect(error).to.include({ name: 'TimeoutError' });
  });
});
