/** An HTTP client that sends exactly the bytes it is given, broken ones included. */
import { connect, type Socket } from 'node:net';

export type RawAnswer = NonNullable<Awaited<ReturnType<RawClient['answer']>>>;

const HEAD_END = '\r\n\r\n';

export class RawClient {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #isClosed = false;
  #onChange = () => {};
  error: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#onChange();
    });
    socket.on('error', (error) => (this.error = error));
    socket.on('end', () => this.#end());
    socket.on('close', () => this.#end());
  }

  static open(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const place = { port, host: '127.0.0.1', allowHalfOpen: true };
      const socket = connect(place, () => resolve(new RawClient(socket)));
      socket.once('error', reject);
    });
  }

  write(...parts: (string | Uint8Array)[]): void {
    for (const part of parts) this.#socket.write(part);
  }

  flush(part: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(part, () => resolve());
    });
  }

  /** The next whole answer, with headers in lower case; undefined if the server closes without one. */
  async answer() {
    for (;;) {
      const answer = this.#takeAnswer();
      if (answer !== undefined || this.#isClosed) return answer;
      await this.#change();
    }
  }

  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#change();
  }

  /** Half-closes the connection: sends nothing more, and goes on reading. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Resets the connection, as a process does that dies with something left to read. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #end(): void {
    this.#isClosed = true;
    this.#onChange();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }

  #takeAnswer() {
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return undefined;
    const [statusLine = '', ...lines] = this.#received.subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(lines.map(asHeader));
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0);
    if (this.#received.length < bodyEnd) return undefined;
    const body = this.#received.subarray(bodyStart, bodyEnd).toString('utf8');
    this.#received = this.#received.subarray(bodyEnd);
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  }
}

function asHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
