/** A way to a server on loopback that can fall silent, as a network does that drops packets. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** From here on nothing is passed on in either direction, and new connections are taken and never answered. */
  fallSilent(): void;
  /** The server gets whatever the client sends from here on, its answers get lost. */
  loseAnswers(): void;
  /** Called with what a client sends (as latin1), before it is passed on. A text that is returned is passed on instead. */
  onSent: (text: string) => string | void;
  /** New connections work again; those that were cut off by silence are closed. */
  recover(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let mode: 'passing' | 'silent' | 'losing answers' = 'passing';
  const remember = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const upstream = connect(target);
    remember(client);
    remember(upstream);
    client.on('data', (chunk) => {
      const changed = proxy.onSent(chunk.toString('latin1'));
      if (mode !== 'silent')
        upstream.write(typeof changed === 'string' ? Buffer.from(changed, 'latin1') : chunk);
    });
    upstream.on('data', (chunk) => mode === 'passing' && client.write(chunk));
    client.on('close', () => upstream.end());
    upstream.on('close', () => mode === 'passing' && client.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cutOff = () => sockets.forEach((socket) => socket.destroy());
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    onSent: () => undefined,
    fallSilent: () => (mode = 'silent'),
    loseAnswers: () => (mode = 'losing answers'),
    recover() {
      mode = 'passing';
      cutOff();
    },
    async close() {
      cutOff();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
