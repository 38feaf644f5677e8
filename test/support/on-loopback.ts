/** Servers of the tests' own. */
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

/** Has a server listen on loopback, and remembers its connections, as those that others give it. */
export async function onLoopback(server: Server) {
  const sockets = new Set<Socket>();
  const remember = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  server.on('connection', remember);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const hangUp = () => Promise.all([...sockets].map((socket) => once(socket.destroy(), 'close')));
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server.close(), 'close');
    await hangUp();
    await closed;
  };
  return { port, host: `127.0.0.1:${port}`, remember, hangUp, close };
}
