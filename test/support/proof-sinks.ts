/** A Slack and a mail server that take everything at once and only count: for loads that the strict ones would slow down. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface Sinks {
  /** For the `api_url` of a Slack channel. */
  readonly slackUrl: string;
  /** For the `smtp` of an email channel. */
  readonly smtpUrl: string;
  readonly taken: { slack: number; mail: number };
  close(): void;
}

const POSTED = JSON.stringify({ ok: true, channel: 'C0OPS0001', ts: '1.000001' });

export async function startSinks(): Promise<Sinks> {
  const taken = { slack: 0, mail: 0 };
  const slack = createHttpServer((request, response) => {
    request.resume().once('end', () => {
      taken.slack += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(POSTED);
    });
  });
  const mail = createServer((socket) => takeMail(socket, () => (taken.mail += 1)));
  const [slackPort, mailPort] = [await portOf(slack), await portOf(mail)];
  return {
    slackUrl: `http://127.0.0.1:${slackPort}/api/`,
    smtpUrl: `smtp://127.0.0.1:${mailPort}/?ignoreTLS=true`,
    taken,
    close() {
      slack.close();
      slack.closeAllConnections();
      mail.close();
    },
  };
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** As much of RFC 5321 as a client that is sure of itself needs. */
function takeMail(socket: Socket, onTaken: () => void): void {
  let rest = '';
  let isInData = false;
  socket.on('error', () => socket.destroy());
  socket.write('220 sink\r\n');
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (isInData && line !== '.') continue;
      if (isInData) onTaken();
      const isBeginning = /^data$/i.test(line);
      isInData = isBeginning;
      socket.write(isBeginning ? '354 go on\r\n' : '250 ok\r\n');
    }
  });
}
