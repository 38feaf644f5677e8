import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import Koa from 'koa';
import { answerProblems, type TurnedAway } from '../../src/http/problem.ts';
import { type Handler, listen, type ListeningServer, type ServerTimeouts } from '../../src/http/server.ts';
import { moment } from '../support/moment.ts';
import { RawClient } from '../support/raw-client.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const ANYWHERE = { host: '127.0.0.1', port: 0 };
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** What has not come in time is refused at once: for clients alone of which nothing is to come in time. */
const SOON = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 };

const sentBytes = (name: string) => readFileSync(join(import.meta.dirname, name));
const oneOf = (...headers: readonly string[]) => `POST / HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
const UNKNOWN = 'which is not spoken here';
const PROXY = `the PROXY protocol, ${UNKNOWN}; have the balancer send X-Forwarded-For in place of it`;
const TLS = `TLS, ${UNKNOWN}; write http:// for https://, or put a proxy in front`;
const HTTP_2 = `HTTP/2, ${UNKNOWN}; have the proxy speak HTTP/1.1`;

const REFUSED: readonly (readonly [sent: string | Uint8Array, status: number, problem: string])[] = [
  [sentBytes('proxy-v1.bin'), 400, PROXY],
  ['\r\n\r\n\0\r\nQUIT\n!', 400, PROXY],
  [sentBytes('tls-hello.bin'), 400, TLS],
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, HTTP_2],
  ['secret words\r\n\r\n', 400, 'no HTTP/1.1: Invalid method encountered'],
  [oneOf('Host: x', 'Content-Length: 2', 'Content-Length: 3'), 400, 'no HTTP/1.1: Duplicate Content-Length'],
  [oneOf('Content-Length: 0'), 400, 'no Host header'],
  [oneOf('Host: x', `X: ${'a'.repeat(20_000)}`), 431, 'headers of more than 16 KiB'],
  [oneOf('Host: x', 'Expect: tea'), 417, 'it expects something else than 100-continue'],
  ['CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 400, 'CONNECT, which is for proxies'],
  ['POST / HTTP/1.1\r\nHo', 408, 'the request did not come whole in time'],
];

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

describe('a listening server', () => {
  const open: ListeningServer[] = [];
  const clients: RawClient[] = [];

  const turnedAway: TurnedAway[] = [];

  const start = async (handler: Handler, timeouts: ServerTimeouts = {}) => {
    turnedAway.length = 0;
    const server = await listen(handler, ANYWHERE, (report) => turnedAway.push(report), timeouts);
    open.push(server);
    return server;
  };

  const connect = async (server: ListeningServer, ...sent: (string | Uint8Array)[]) => {
    const client = await RawClient.open(server.port);
    clients.push(client);
    client.write(...sent);
    return client;
  };

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all(open.splice(0).map((server) => server.close(0)));
  });

  for (const [whose, sent] of [
    ['an idle one, or whose headers do not come', 'GET / HTTP/1.1\r\nX'],
    ['one that is answered and still uploads', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'],
  ] as const)
    it(`takes a new connection at its limit, for which one gives way that waits for no answer: ${whose}`, async () => {
      const [begun, finished] = [moment(), moment()];
      const server = await start(async ({ url }, response) => {
        if (url === '/slow') {
          begun.happen();
          await finished.promise;
        }
        response.end('hello');
      });
      const waiting = await connect(server, GET.replace('/', '/slow'));
      await begun.promise;
      const kept = await connect(server, GET);
      await kept.answer();
      const crowd = async () => {
        const client = await connect(server, sent);
        if (sent.startsWith('POST')) await client.answer();
      };
      await Promise.all(Array.from({ length: 1100 }, crowd));
      const client = await connect(server, GET);
      expect((await client.answer())?.status).to.equal(200);
      expect(await kept.answer(), 'the idle one').to.equal(undefined);
      finished.happen();
      expect((await waiting.answer())?.status).to.equal(200);
    });

  it('says in words that the address is taken', async () => {
    const { port } = await start(() => {});
    const nothing = () => {};
    const error = await rejectionOf(listen(nothing, { host: '127.0.0.1', port }, nothing));
    expect(error.message).to.equal(
      `cannot listen on 127.0.0.1:${port}: another program has this port, perhaps a Botbell that runs already: end that, or change \`listen\``,
    );
  });

  it('lets go of a client that never closes its side, even after what Node refuses by itself', async () => {
    const server = await start(() => {});
    const before = openSockets();
    const client = await connect(server, 'GET / HTTP/1.1\r\nno header\r\n\r\n');
    expect((await client.answer())?.status).to.equal(400);
    await until("only the client's end left", () => openSockets() <= before + 1);
  });

  it('answers a client that has closed its own side after its request', async () => {
    const server = await start((request, response) => {
      request.socket.once('end', () => response.end('hello'));
    });
    const client = await connect(server, GET);
    client.end();
    expect((await client.answer())?.status).to.equal(200);
    await client.closed();
    expect(turnedAway).to.deep.equal([]);
  });

  it('asks for a body that waits to be asked for only when it is read', async () => {
    const server = await start((request, response) => {
      if (request.url === '/read') request.on('data', () => {}).once('end', () => response.end());
      else response.writeHead(404).end();
    });
    const waits = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n`;
    const [read, unread] = [await connect(server, waits('/read')), await connect(server, waits('/'))];
    expect((await read.answer())?.status).to.equal(100);
    read.write('1');
    expect([(await read.answer())?.status, (await unread.answer())?.status]).to.deep.equal([200, 404]);
  });

  it('tells what it refused before there was a request, and from where, and quotes none of it', async () => {
    for (const [sent, status, problem] of REFUSED) {
      const server = await start((_request, response) => response.end(), status === 408 ? SOON : {});
      const client = await connect(server, sent);
      expect((await client.answer())?.status, problem).to.equal(status);
      await client.closed();
      await until(`it to tell of ${problem}`, () => turnedAway.length > 0);
      expect(turnedAway.splice(0)).to.deep.equal([{ status, from: '127.0.0.1', problem }]);
    }
  });

  it('tells nothing of a connection on which nothing was sent, or that is closed after its answer, be its body whole or not', async () => {
    const server = await start((_request, response) => response.end());
    const hasty = await start((_request, response) => response.end(), SOON);
    const [silent, kept] = [await connect(hasty), await connect(server, GET)];
    const unread = await connect(server, oneOf('Host: x', 'Content-Length: 9'));
    for (const client of [kept, unread]) {
      expect((await client.answer())?.status).to.equal(200);
      client.destroy();
    }
    expect((await silent.answer())?.status).to.equal(408);
    await silent.closed();
    expect(turnedAway).to.deep.equal([]);
  });

  it('answers 500 to an error that nobody foresaw, without a word of it, and hands it to the log', async () => {
    const unforeseen: unknown[] = [];
    const app = new Koa().use(answerProblems((each) => unforeseen.push(each)));
    const error = new Error('password=hunter2');
    app.use(() => Promise.reject(error));
    const answer = await (await connect(await start(app.callback()), GET)).answer();
    const said = [answer?.status, answer?.headers['content-type']];
    expect(said).to.deep.equal([500, 'application/problem+json']);
    expect(answer?.body).not.to.contain('hunter2');
    expect(unforeseen).to.deep.equal([error]);
  });

  describe('that stops', () => {
    /** A request is under way, and answered when the test says so. */
    const underWay = async () => {
      const [begun, finished] = [moment(), moment()];
      const server = await start(async (_request, response) => {
        begun.happen();
        await finished.promise;
        response.end('done');
      });
      const client = await connect(server, GET);
      await begun.promise;
      return { server, client, finished };
    };

    it('lets a request finish and answers it, though it takes no new connection', async () => {
      const { server, client, finished } = await underWay();
      const closed = server.close(5000);
      await rejectionOf(RawClient.open(server.port));
      finished.happen();
      expect((await client.answer())?.body).to.equal('done');
      await closed;
    });

    it('does not wait for connections that are idle', async () => {
      const server = await start((_request, response) => response.end('done'));
      const client = await connect(server, GET);
      await client.answer();
      await server.close(60_000);
      await client.closed();
    });

    it('cuts off what has not finished in time', async () => {
      const { server, client } = await underWay();
      await server.close(20);
      expect(await client.answer()).to.equal(undefined);
    });
  });
});
