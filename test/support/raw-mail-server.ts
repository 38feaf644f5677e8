/** A mail server of a few lines: it accepts everything, stops reading in the middle of a message, or answers wrongly. */
import { createServer, type Socket } from 'node:net';
import { onLoopback } from './on-loopback.ts';

/** @param stalls whether it stops reading at DATA, until `readOn` */
export async function startRawMailServer(stalls = false) {
  let client: Socket | undefined;
  let heard = '';
  /** The next answers, in place of the right ones; it hangs up after a refusal. */
  const replies: string[] = [];
  const server = createServer((socket) => {
    client = socket;
    socket.write('220 ready\r\n');
    let isData = false;
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      heard += text;
      for (const line of text.split('\r\n').slice(0, -1)) {
        if (isData && line !== '.') continue;
        isData = line === 'DATA';
        const reply = replies.shift() ?? (isData ? '354 go on\r\n' : rightReplyTo(line));
        socket.write(reply);
        if (/^[45]/.test(reply)) socket.end();
        if (isData && stalls) socket.pause();
      }
    });
  });
  const { host, close } = await onLoopback(server);
  return {
    host,
    replies,
    heard: () => heard,
    /** Resolves at the connection's end; at once if it has ended, or, on a busy machine, was not made in time. */
    readOn: () =>
      // Not `once`, which would reject at a reset: a destroyed connection may end by one.
      new Promise<void>((resolve) => {
        if (client === undefined || client.closed) resolve();
        else client.once('close', () => resolve()).resume();
      }),
    close,
  };
}

function rightReplyTo(line: string): string {
  if (line.startsWith('EHLO')) return '250-fine\r\n250 AUTH PLAIN\r\n';
  return line.startsWith('AUTH') ? '235 welcome\r\n' : '250 fine\r\n';
}
