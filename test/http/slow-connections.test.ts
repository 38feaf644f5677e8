/** How slowly a body may come. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { RequestQueue } from '../../src/http/connection.ts';
import { connectionLimits, Connections } from '../../src/http/connections.ts';
import { until } from '../support/proof-wait.ts';
import { RawClient } from '../support/raw-client.ts';

const WINDOW_MS = 5000;

describe('a body that comes slowly', () => {
  let server: Server;
  let client: RawClient;
  let connections: Connections;
  let socket: Socket | undefined;
  let refused: number[];

  beforeEach(async () => {
    refused = [];
    socket = undefined;
    connections = new Connections({
      limits: { ...connectionLimits(), speedWindowMs: WINDOW_MS },
      handler: (request) => request.resume(),
      senderOf: () => '127.0.0.1',
      onNotAwaited: (_socket, { status }) => refused.push(status),
    });
    server = createServer((request, response) =>
      RequestQueue.of(request.socket)?.take({ request, response }),
    );
    server.on('connection', (accepted: Socket) => connections.add((socket = accepted)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = await RawClient.open((server.address() as AddressInfo).port);
  });

  afterEach(() => {
    client.destroy();
    server.close();
  });

  const send = async (text: string) => {
    const sofar = socket?.bytesRead ?? 0;
    client.write(text);
    await until('it has come', () => (socket?.bytesRead ?? 0) >= sofar + text.length);
  };

  /** @returns with what it was refused, if it was */
  const statusesAfter = async (bytesInWindow: number) => {
    await send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    let now = 0;
    connections.sweep(now);
    for (let windows = 0; windows < 3; windows += 1) {
      await send('x'.repeat(bytesInWindow));
      now += WINDOW_MS;
      connections.sweep(now);
    }
    return refused;
  };

  it('is waited for where it brings 256 bytes a second', async () => {
    expect(await statusesAfter((256 * WINDOW_MS) / 1000)).to.deep.equal([]);
  });

  it('is a 408 where it brings less', async () => {
    expect((await statusesAfter((256 * WINDOW_MS) / 1000 - 1))[0]).to.equal(408);
  });
});
