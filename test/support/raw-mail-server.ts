/** A mail server of a few lines: it takes whatever it is told, or stops reading in the middle of a message. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export class RawMailServer {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  /** All that it has read. */
  heard = '';

  /** @param stalls from DATA on it reads nothing more, until `readOn` */
  constructor(stalls = false) {
    this.#server = createServer((socket) => this.#serve(socket, stalls));
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @returns all that came, once the client is gone */
  async readOn(): Promise<string> {
    const [socket] = this.#sockets;
    if (socket === undefined) throw new Error('nobody came');
    // `once` would reject at a reset, by which a connection that is destroyed may end, too.
    const gone = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await gone;
    return this.heard;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(socket: Socket, stalls: boolean): void {
    this.#sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('220 ready\r\n');
    let isData = false;
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      this.heard += text;
      for (const line of text.split('\r\n').slice(0, -1)) {
        if (isData && line !== '.') continue;
        isData = line === 'DATA';
        socket.write(isData ? '354 go on\r\n' : '250 fine\r\n');
        if (isData && stalls) socket.pause();
      }
    });
  }
}
