/** A server that starts with a clear word, bounds broken clients, and stops without cutting anybody off early. */
import { expect } from 'chai';
import Koa from 'koa';
import { answerProblems } from '../../src/http/problem.ts';
import { type Handler, listen, type ListeningServer } from '../../src/http/server.ts';
import { moment } from '../support/moment.ts';
import { RawClient } from '../support/raw-client.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const ANYWHERE = { host: '127.0.0.1', port: 0 };
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

describe('a listening server', () => {
  const open: ListeningServer[] = [];
  const clients: RawClient[] = [];

  const start = async (handler: Handler) => {
    const server = await listen(handler, ANYWHERE);
    open.push(server);
    return server;
  };

  const connect = async (server: ListeningServer) => {
    const client = await RawClient.open(server.port);
    clients.push(client);
    return client;
  };

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all(open.splice(0).map((server) => server.close(0)));
  });

  it('takes a new connection at its limit, and closes for it those that are idle', async () => {
    const server = await start((_request, response) => response.end('hello'));
    const kept = await connect(server);
    kept.write(GET);
    await kept.answer();
    await Promise.all(Array.from({ length: 1100 }, () => connect(server)));
    const client = await connect(server);
    client.write(GET);
    expect((await client.answer())?.status).to.equal(200);
    expect(await kept.answer(), 'the idle one').to.equal(undefined);
  });

  it('says in words that the address is taken', async () => {
    const { port } = await start(() => {});
    const error = await rejectionOf(listen(() => {}, { host: '127.0.0.1', port }));
    expect(error.message).to.equal(
      `cannot listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    );
  });

  it('lets go of a client that never closes its side, even after what Node refuses by itself', async () => {
    const server = await start(() => {});
    const before = openSockets();
    const client = await connect(server);
    client.write('GET / HTTP/1.1\r\nno header\r\n\r\n');
    expect((await client.answer())?.status).to.equal(400);
    await until("only the client's end left", () => openSockets() <= before + 1);
  });

  it('answers 500 to an error that nobody foresaw, without a word of it, and hands it to the log', async () => {
    const unforeseen: unknown[] = [];
    const app = new Koa().use(answerProblems((each) => unforeseen.push(each)));
    const error = new Error('password=hunter2');
    app.use(() => Promise.reject(error));
    const client = await connect(await start(app.callback()));
    client.write(GET);
    const answer = await client.answer();
    expect([answer?.status, answer?.headers['content-type']]).to.deep.equal([
      500,
      'application/problem+json',
    ]);
    expect(answer?.body).not.to.contain('hunter2');
    expect(unforeseen).to.deep.equal([error]);
  });

  describe('that stops', () => {
    it('lets a request finish and answers it, though it takes no new connection', async () => {
      const [begun, finished] = [moment(), moment()];
      const server = await start(async (_request, response) => {
        begun.happen();
        await finished.promise;
        response.end('done');
      });
      const client = await connect(server);
      client.write(GET);
      await begun.promise;
      const closed = server.close(5000);
      await rejectionOf(RawClient.open(server.port));
      finished.happen();
      expect((await client.answer())?.body).to.equal('done');
      await closed;
    });

    it('does not wait for connections that are idle', async () => {
      const server = await start((_request, response) => response.end('done'));
      const client = await connect(server);
      client.write(GET);
      await client.answer();
      await server.close(60_000);
      await client.closed();
    });

    it('cuts off what has not finished in time', async () => {
      const begun = moment();
      const server = await start(() => begun.happen());
      const client = await connect(server);
      client.write(GET);
      await begun.promise;
      await server.close(20);
      expect(await client.answer()).to.equal(undefined);
    });
  });
});
