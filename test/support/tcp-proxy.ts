/** A TCP proxy to a server on loopback that can fall silent, as a network that drops packets does. */
import { connect, createServer, type Socket } from 'node:net';
import { onLoopback } from './on-loopback.ts';

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

export async function startTcpProxy(target: { readonly host: string; readonly port: number }) {
  let mode: 'passing' | 'silent' | 'losing answers' = 'passing';
  let delayMs = 0;
  // Timers of equal length fire in the order in which they were started.
  const pass = (to: Socket, chunk: Buffer) => {
    if (delayMs === 0) to.write(chunk);
    else setTimeout(() => to.writable && to.write(chunk), delayMs);
  };
  const server = createServer((client) => {
    const upstream = connect(target);
    remember(upstream);
    client.on('data', (chunk) => {
      const changed = proxy.onSent(chunk.toString('latin1'));
      if (mode !== 'silent')
        pass(upstream, typeof changed === 'string' ? Buffer.from(changed, 'latin1') : chunk);
    });
    upstream.on('data', (chunk) => void (mode === 'passing' && pass(client, chunk)));
    client.on('close', () => upstream.end());
    upstream.on('close', () => mode === 'passing' && client.end());
  });
  const { port, remember, hangUp, close } = await onLoopback(server);
  const proxy = {
    port,
    /** Called with what a client sends (as latin1), before it is passed on. A text that is returned is passed on instead. */
    onSent: (_text: string): string | void => undefined,
    /** From now on delays what it passes on in each direction by so much. */
    delayBy: (ms: number) => void (delayMs = ms),
    /** From now on passes nothing on in either direction, and accepts new connections without ever answering. */
    fallSilent: () => void (mode = 'silent'),
    /** From now on the server gets what the client sends, but its answers are lost. */
    loseAnswers: () => void (mode = 'losing answers'),
    /** Lets new connections work again, and closes those that fell silent. */
    recover() {
      mode = 'passing';
      void hangUp();
    },
    close,
  };
  return proxy;
}
