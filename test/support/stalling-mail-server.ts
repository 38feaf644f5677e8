/** A mail server that stops reading in the middle of a message. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export class StallingMailServer {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  #text = '';

  constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @returns all that came after DATA, once the client is gone */
  async readOn(): Promise<string> {
    const [socket] = this.#sockets;
    if (socket === undefined) throw new Error('nobody came');
    // `once` would reject at a reset, by which a connection that is destroyed may end, too.
    const gone = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await gone;
    return this.#text;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('220 ready\r\n');
    let isData = false;
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (isData) this.#text += text;
      else
        for (const line of text.split('\r\n').filter((each) => each !== ''))
          isData = this.#answer(socket, line);
    });
  }

  #answer(socket: Socket, line: string): boolean {
    const isData = line === 'DATA';
    socket.write(isData ? '354 go on\r\n' : '250 fine\r\n');
    if (isData) socket.pause();
    return isData;
  }
}
