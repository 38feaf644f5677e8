/** What one connection, or very many of them, may ask of a listener. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Handler, RequestQueue } from '../../src/http/connection.ts';
import { type ConnectionLimits, connectionLimits, NOT_AWAITED } from '../../src/http/connections.ts';
import type { SenderHead } from '../../src/http/sender.ts';
import { listen, type ListeningServer, type MalformedRequest } from '../../src/http/server.ts';
import { moment } from '../support/moment.ts';
import { until } from '../support/proof-wait.ts';
import { type RawAnswer, RawClient } from '../support/raw-client.ts';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const MB = 1024 * 1024;

function post(headers: string): string {
  return `POST / HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;
}

function expectProblem(answer: RawAnswer | undefined, status: number, detail: RegExp): void {
  expect(answer?.status).to.equal(status);
  expect(answer?.headers['content-type']).to.equal('application/problem+json');
  expect(answer?.headers['connection']).to.equal('close');
  expect((JSON.parse(answer?.body ?? '{}') as { detail: string }).detail).to.match(detail);
}

describe('a listener', () => {
  const servers: ListeningServer[] = [];
  const clients: RawClient[] = [];
  let malformed: MalformedRequest[];

  const start = async (
    handler: Handler,
    limits: Partial<ConnectionLimits> = {},
    senderOf?: (request: SenderHead) => string,
  ) => {
    malformed = [];
    const server = await listen(
      handler,
      { host: '127.0.0.1', port: 0 },
      {
        timeouts: { headersMs: 10_000, requestMs: 15_000, checkMs: 10 },
        limits: { ...connectionLimits(), ...limits },
        onMalformed: (request) => malformed.push(request),
        ...(senderOf && { senderOf }),
      },
    );
    servers.push(server);
    return server;
  };

  const connect = async (server: ListeningServer, from?: string) => {
    const client = await RawClient.open(server.port, from);
    clients.push(client);
    return client;
  };

  const expectServed = async (server: ListeningServer) => {
    const client = await connect(server, '127.0.0.1');
    client.write(GET);
    expect((await client.answer())?.status).to.equal(200);
    client.destroy();
  };

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all(servers.splice(0).map((server) => server.close(0)));
  });

  describe('to which many requests are sent at once on one connection', () => {
    it('answers them in their order, the next one when the one before is answered', async () => {
      const finish: (() => void)[] = [];
      const server = await start((request, response) => {
        finish.push(() => response.end(request.url));
      });
      const client = await connect(server);
      const urls = Array.from({ length: 32 }, (_, index) => `/${index}`);
      client.write(urls.map((url) => GET.replace('/', url)).join(''));
      for (const [index, url] of urls.entries()) {
        await until('it is being served', () => finish.length > index);
        expect(finish.length, 'only this one is').to.equal(index + 1);
        finish[index]?.();
        expect((await client.answer())?.body).to.equal(url);
      }
    });

    it('ends the connection that sends more than may wait, and parses little more of it', async () => {
      let parsed = 0;
      const count = () => (parsed += 1);
      subscribe('http.server.request.start', count);
      const served: string[] = [];
      const server = await start((request, response) => {
        served.push(request.url ?? '');
        if (request.url === '/good') response.end();
      });
      const client = await connect(server);
      client.write(GET.repeat(2000));
      await client.closed();
      unsubscribe('http.server.request.start', count);
      expect(served).to.deep.equal(['/']);
      expect(parsed).to.be.lessThan(200);
      const next = await connect(server);
      next.write(GET.replace('/', '/good'));
      expect((await next.answer())?.status).to.equal(200);
    });

    it('makes no more answers than are read', async () => {
      let served = 0;
      const server = await start((_request, response) => {
        served += 1;
        response.end(Buffer.alloc(MB));
      });
      const client = await connect(server);
      client.stopReading();
      client.write(GET.repeat(30));
      await until('the first are served', () => served > 0);
      await sleep(50);
      expect(served).to.be.lessThan(25);
    });

    it('keeps nothing of a request that is answered, however long the connection stays', async () => {
      let queue: RequestQueue | undefined;
      const server = await start((request, response) => {
        queue = RequestQueue.of(request.socket);
        response.end();
      });
      const client = await connect(server);
      client.write(GET);
      await client.answer();
      await until('it is let go of', () => queue !== undefined && queue.current === undefined);
      expect(client.isWritable, 'the connection stays').to.equal(true);
    });

    it('reads no more than the beginning of a body in chunks, as long as nobody wants it', async () => {
      let socket: Socket | undefined;
      const server = await start((request) => {
        ({ socket } = request);
      });
      const client = await connect(server);
      client.write(post('Transfer-Encoding: chunked'), '1\r\nx\r\n'.repeat(500_000));
      await until('it has come', () => socket !== undefined);
      await sleep(50);
      expect(socket?.bytesRead).to.be.lessThan(200_000);
    });

    it('reads no more than the beginning of a body whose request waits for its turn', async () => {
      let socket: Socket | undefined;
      let parsedBytes = 0;
      const finish: (() => void)[] = [];
      const server = await start((request, response) => {
        socket ??= request.socket.on('data', ({ length }: Buffer) => (parsedBytes += length));
        request.resume().once('end', () => finish.push(() => response.end()));
      });
      const client = await connect(server);
      client.write(GET);
      await until('it is served', () => finish.length === 1);
      const chunks = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(10);
      client.write(post('Transfer-Encoding: chunked'), chunks, '0\r\n\r\n');
      await sleep(50);
      expect(parsedBytes).to.be.lessThan(65_536);
      finish[0]?.();
      await client.answer();
      await until('it is read to its end', () => finish.length === 2);
      finish[1]?.();
      expect((await client.answer())?.status).to.equal(200);
    });

    it('holds no more of all connections than may wait together', async () => {
      const server = await start(() => undefined);
      const many = await Promise.all(Array.from({ length: 40 }, () => connect(server)));
      for (const client of many) client.write(GET.repeat(30));
      const isOpen = (client: RawClient) => client.isWritable;
      await until('some had to go', () => many.filter(isOpen).length < 38);
      expect(many.filter(isOpen).length).to.be.greaterThan(30);
    });
  });

  describe('that answers before all of a body in chunks has come', () => {
    let answers: number;
    /** Of what is given to Node's parser after the first. */
    let steps: { readonly bytes: number; readonly turn: number }[];
    let turn = 0;

    const answerAtOnce = () => {
      answers = 0;
      steps = [];
      return start((request, response) => {
        answers += 1;
        request.socket.on('data', ({ length }: Buffer) => {
          steps.push({ bytes: length, turn });
          setImmediate(() => (turn += 1));
        });
        response.end();
      });
    };

    it('closes the connection when it has, and answers nothing more', async () => {
      const client = await connect(await answerAtOnce());
      client.write(post('Transfer-Encoding: chunked'), '1\r\nx\r\n');
      expect((await client.answer())?.status).to.equal(200);
      client.write('0\r\n\r\n', GET);
      await client.closed();
      expect(answers).to.equal(1);
    });

    it('reads the rest in small steps, others in between, where it comes in small pieces', async () => {
      const client = await connect(await answerAtOnce());
      client.write(post('Transfer-Encoding: chunked'), '1\r\nx\r\n'.repeat(50_000));
      expect((await client.answer())?.status).to.equal(200);
      await until('some of it is read', () => steps.length > 20);
      expect(Math.max(...steps.map(({ bytes }) => bytes))).to.be.at.most(4096);
      expect(new Set(steps.map(({ turn }) => turn)).size, 'turns of the event loop').to.equal(steps.length);
    });

    it('drops it at once where it does not', async () => {
      const client = await connect(await answerAtOnce());
      const body = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(100));
      client.write(post('Transfer-Encoding: chunked'), body, '0\r\n\r\n');
      expect((await client.answer())?.status).to.equal(200);
      await client.closed();
    });
  });

  describe('whose answers are not read', () => {
    it('drops the connection after a while', async () => {
      const dropped = moment();
      const server = await start(
        (request, response) => {
          if (request.socket.listenerCount('close', dropped.happen) === 0)
            request.socket.once('close', dropped.happen);
          response.end(Buffer.alloc(64 * 1024));
        },
        { answerTakenMs: 30 },
      );
      const client = await connect(server);
      client.stopReading();
      const requests = setInterval(() => client.write(GET.repeat(20)), 1);
      await dropped.promise;
      clearInterval(requests);
    });

    it('does not drop one whose answer takes longer to be made', async () => {
      const server = await start((_request, response) => void setTimeout(() => response.end('made'), 150), {
        answerTakenMs: 20,
      });
      const client = await connect(server);
      client.write(GET);
      expect((await client.answer())?.body).to.equal('made');
    });
  });

  describe('to which a body comes slowly', () => {
    const readAll: Handler = (request, response) => {
      request.resume();
      request.once('end', () => response.end('read'));
    };

    it('waits five seconds for it, unless told otherwise', () => {
      expect(connectionLimits().speedWindowMs).to.equal(5000);
    });

    it('answers 408 where it has brought next to nothing in a while', async () => {
      const server = await start(readAll, { speedWindowMs: 60 });
      const client = await connect(server);
      client.write(post('Content-Length: 100000'));
      const drip = setInterval(() => client.write('x'), 20);
      expectProblem(await client.answer(), 408, /too slowly/);
      clearInterval(drip);
      await client.closed();
    });

    it('leaves the answer to who reads the body, where somebody does', async () => {
      const server = await start(
        (request, response) => {
          request.once(NOT_AWAITED, ({ status }: { status: number }) => {
            response.writeHead(status, { Connection: 'close' }).end('by the reader');
          });
        },
        { speedWindowMs: 60 },
      );
      const client = await connect(server);
      client.write(post('Content-Length: 10'));
      expect(await client.answer()).to.include({ status: 408 });
    });

    it('does not blame the sender for what is left unread here', async () => {
      let pending: (() => void) | undefined;
      const server = await start(
        (request, response) => {
          pending = () => void readAll(request, response);
        },
        { speedWindowMs: 30 },
      );
      const client = await connect(server);
      client.write(post('Content-Length: 2000000'), Buffer.alloc(2_000_000));
      await until('it is there', () => pending !== undefined);
      await sleep(150);
      pending?.();
      expect((await client.answer())?.body).to.equal('read');
    });
  });

  describe('with as many connections as it keeps', () => {
    const serve: Handler = (request, response) => {
      if (request.url === '/') response.end();
    };
    const busy = GET.replace('/', '/busy');

    it('drops the longest idle one of the source that has most of them', async () => {
      const server = await start(serve, { connections: 6 });
      const [other] = [await connect(server, '127.0.0.3')];
      const many = [];
      for (let index = 0; index < 5; index += 1) {
        many.push(await connect(server, '127.0.0.2'));
        await expectIdle(many.at(-1));
      }
      await expectServed(server);
      await many[0]?.closed();
      expect([other, ...many.slice(1)].map((client) => client.isWritable)).to.deep.equal(Array(5).fill(true));
    });

    it('drops nobody whose request is being handled', async () => {
      const server = await start(serve, { connections: 4 });
      const handled = await Promise.all(Array.from({ length: 3 }, () => connect(server, '127.0.0.2')));
      for (const client of handled) client.write(busy);
      const idle = await connect(server, '127.0.0.3');
      await expectIdle(idle);
      await expectServed(server);
      await idle.closed();
      expect(handled.map((client) => client.isWritable)).to.deep.equal([true, true, true]);
    });

    it('turns the newcomer away where all are being handled', async () => {
      let begun = 0;
      const server = await start(() => void (begun += 1), { connections: 3 });
      const handled = await Promise.all(Array.from({ length: 3 }, () => connect(server)));
      for (const client of handled) client.write(busy);
      await until('they are', () => begun === 3);
      const late = await connect(server);
      await late.closed();
      expect(handled.map((client) => client.isWritable)).to.deep.equal([true, true, true]);
    });

    it('goes by the sender that a request tells, not by the proxy that all come from', async () => {
      const sender = (request: SenderHead) => String(request.headers['x-forwarded-for']);
      const server = await start(serve, { connections: 6 }, sender);
      const open = async (from: string) => {
        const client = await connect(server);
        client.write(post(`X-Forwarded-For: ${from}\r\nContent-Length: 10`).replace('/', '/busy'));
        return client;
      };
      const honest = await open('192.0.2.1');
      const many: RawClient[] = [];
      for (let index = 0; index < 5; index += 1) many.push(await open(`2001:db8:0:1::${index}`));
      await sleep(30);
      await expectServed(server);
      await until('one had to go', () => many.some((client) => !client.isWritable));
      expect(honest.isWritable).to.equal(true);
    });

    it('keeps more of them the larger the heap is, within bounds', () => {
      const counts = [32, 256, 4096].map((mb) => connectionLimits(mb * MB).connections);
      expect(counts).to.deep.equal([256, 1024, 2048]);
    });

    /** So that the order in which they came is known here. */
    async function expectIdle(client: RawClient | undefined): Promise<void> {
      client?.write(GET);
      expect((await client?.answer())?.status).to.equal(200);
      await sleep(25);
    }
  });

  describe('refuses by its head alone', () => {
    const heads: [string, string, number, RegExp][] = [
      ['a request of two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n', 400, /more than one Host/],
      ['a request without a Host', 'GET / HTTP/1.1\r\n\r\n', 400, /no Host/],
      ['a length beyond 2^53', post('Content-Length: 9007199254740993'), 400, /2\^53/],
      ['a length of many digits', post(`Content-Length: ${'9'.repeat(19)}`), 400, /2\^53|not well-formed/],
      ['a length beyond 2^64', post(`Content-Length: ${'9'.repeat(40)}`), 400, /not well-formed/],
      ['a length below nought', post('Content-Length: -1'), 400, /not well-formed/],
      ['a length in words', post('Content-Length: 0x10'), 400, /not well-formed/],
      ['a coding of the whole message', post('Transfer-Encoding: gzip, chunked'), 400, /chunked/],
      ['two lengths', post('Content-Length: 5\r\nContent-Length: 6'), 400, /not well-formed/],
      ['two lengths in one', post('Content-Length: 5, 6'), 400, /not well-formed/],
      [
        'more headers than there may be',
        GET.replace('\r\n\r\n', `\r\n${'a: b\r\n'.repeat(200)}\r\n`),
        431,
        /200/,
      ],
      ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\nmore', 405, /CONNECT is not allowed/],
    ];
    for (const [what, head, status, detail] of heads) {
      it(what, async () => {
        const served: string[] = [];
        const server = await start((_request, response: ServerResponse) => {
          served.push('x');
          response.end();
        });
        const client = await connect(server);
        client.write(head);
        expectProblem(await client.answer(), status, detail);
        await client.closed();
        expect(served).to.deep.equal([]);
        expect(malformed.map((each) => [each.status, each.from])).to.deep.equal([[status, '127.0.0.1']]);
      });
    }

    it('but not a request of HTTP/1.0 without a Host, nor one that wants another protocol', async () => {
      const server = await start((_request, response) => response.end());
      for (const head of [
        'GET / HTTP/1.0\r\n\r\n',
        GET.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'),
        GET.replace('\r\n\r\n', '\r\nExpect: something\r\n\r\n'),
      ]) {
        const client = await connect(server);
        client.write(head);
        expect((await client.answer())?.status, head).to.equal(200);
      }
    });
  });

  it('answers what is no HTTP, however much of it comes', async () => {
    const server = await start(() => undefined);
    const client = await connect(server);
    client.write('x'.repeat(10 * MB));
    expectProblem(await client.answer(), 400, /not well-formed/);
    expect(malformed.length).to.equal(1);
  });

  it('that closes answers 503 to who has not sent all of his request', async () => {
    const begun = moment();
    const server = await start(() => begun.happen());
    const client = await connect(server);
    client.write(post('Content-Length: 10'), 'x');
    await begun.promise;
    const closed = server.close(1000);
    const answer = await client.answer();
    expectProblem(answer, 503, /shutting down/);
    expect(answer?.headers['retry-after']).to.equal('30');
    client.destroy();
    await closed;
  });
});
