/** A Slack and a mail server that answer with whatever comes to their mind. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SlackFault } from '../support/faulty-slack.ts';
import type { ReceivedCall } from '../../src/stand-ins/slack-stand-in.ts';
import { Chance } from './random.ts';

const MARK = /FZ(\d+)\./;

const ODD_TIMES = [
  '0',
  '1',
  '-1',
  '1.5',
  'NaN',
  'Infinity',
  '1e+300',
  '31536000',
  '99999999999999999999',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'evil',
  '',
  '1, 2',
  '0x10',
];

const ODD_ERRORS = [
  'channel_not_found',
  'invalid_blocks',
  'msg_too_long',
  'fatal_error',
  'ratelimited',
  'evil\n\x1b[2J',
  'x'.repeat(100_000),
  '',
];

const ODD_BODIES = [
  '',
  'null',
  '[]',
  '"ok"',
  '{"ok":true}',
  '{"ok":"true"}',
  '{"ok":true,"ts":1,"channel":{}}',
  `{"ok":true,"ts":"${'1'.repeat(50_000)}","channel":"C"}`,
  '{"ok":false}',
  '{"ok":false,"error":{"a":1}}',
  '{"ok":false,"error":"invalid_blocks","response_metadata":{"messages":"evil"}}',
  '{"__proto__":{"ok":true}}',
  `{"ok":${'['.repeat(100_000)}`,
  '<html>evil</html>',
  '{"ok":tru',
  '\ufeff{"ok":true}',
  `{"ok":false,"error":"${'e'.repeat(300_000)}"}`,
];

/** What Slack does with a call, by the attack that its message is of. */
export function slackFaultOf(seed: number): (call: ReceivedCall) => SlackFault | undefined {
  const calls = new Map<string, number>();
  return ({ args }) => {
    const index = MARK.exec(JSON.stringify(args))?.[1] ?? '';
    const number = calls.get(index) ?? 0;
    calls.set(index, number + 1);
    return slackFault(new Chance(seed, index, 'slack', number));
  };
}

function slackFault(chance: Chance): SlackFault | undefined {
  return chance.weighted<() => SlackFault | undefined>([
    [2, () => undefined],
    [2, () => ({ kind: 'rate_limited', retryAfter: chance.pick(ODD_TIMES) })],
    [1, () => ({ kind: 'rate_limited' })],
    [2, () => ({ kind: 'error', error: chance.pick(ODD_ERRORS) })],
    [
      3,
      () => ({
        kind: 'status',
        status: oddStatus(chance),
        body: chance.pick(ODD_BODIES),
        headers: oddHeaders(chance),
      }),
    ],
    [
      1,
      () => ({
        kind: chance.pick(['hang', 'stall', 'cut', 'reset', 'reset_after_accepting', 'html'] as const),
      }),
    ],
  ])();
}

function oddStatus(chance: Chance): number {
  return chance.pick([200, 200, 200, 204, 301, 302, 307, 400, 403, 404, 408, 410, 429, 500, 502, 503, 599]);
}

function oddHeaders(chance: Chance): Record<string, string> {
  return {
    'content-type': chance.pick(['application/json', 'text/html', 'application/json; charset=utf-16', '']),
    ...(chance.is(0.3) && { 'retry-after': chance.pick(ODD_TIMES) }),
    ...(chance.is(0.3) && {
      location: chance.pick(['http://127.0.0.1:1/', 'file:///etc/passwd', '//evil.example', 'x']),
    }),
    ...(chance.is(0.1) && { 'content-encoding': chance.pick(['gzip', 'br', 'evil']) }),
  };
}

export interface HostileMailServer {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  close(): void;
}

const ODD_REPLIES = [
  '250 ok\r\n',
  '250 ok\r\n',
  '250 ok\r\n',
  '220 evil\r\n',
  '354 go on\r\n',
  '421 4.3.2 evil\r\n',
  '450 4.2.1 later\r\n',
  '503 5.5.1 bad sequence\r\n',
  '535 5.7.8 AGZ1enoARlVaWi1TTVRQLVBBU1NXT1JE no\r\n',
  '550 5.1.1 <!channel> \x1b[2J evil\r\n',
  '250-evil\r\n250-AUTH LOGIN PLAIN\r\n250 STARTTLS\r\n',
  '250-never ended\r\n',
  '999 evil\r\n',
  '25 evil\r\n',
  'evil\r\n',
  '\r\n',
  '250 ok\r\n250 ok\r\n250 ok\r\n',
  '250 ok\n',
  `250 ${'e'.repeat(200_000)}\r\n`,
  `250-${'e\r\n250-'.repeat(20_000)}e\r\n250 ok\r\n`,
  '\0\0\0\0',
];

/** Half of what it is asked it answers as it should. */
export async function startHostileMailServer(seed: number): Promise<HostileMailServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    connections += 1;
    converse(socket, new Chance(seed, 'mail', connections));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function converse(socket: Socket, chance: Chance): void {
  let isInData = false;
  socket.on('error', () => socket.destroy());
  const say = (right: string) => {
    if (socket.destroyed || chance.is(0.03)) return;
    if (chance.is(0.02)) socket.resetAndDestroy();
    else socket.write(chance.is(0.7) ? right : chance.pick(ODD_REPLIES));
  };
  say('220 fuzz ESMTP\r\n');
  socket.on('data', (chunk) => {
    for (const line of chunk.toString('latin1').split('\r\n')) {
      if (isInData && line !== '.') continue;
      if (line === '' && !isInData) continue;
      if (isInData) isInData = false;
      else if (/^data$/i.test(line)) {
        isInData = true;
        say('354 go on\r\n');
        continue;
      }
      say(/^ehlo/i.test(line) ? '250-fuzz\r\n250 AUTH PLAIN LOGIN\r\n' : replyTo(line));
    }
  });
}

function replyTo(line: string): string {
  return /^auth/i.test(line) ? '235 welcome\r\n' : '250 ok\r\n';
}
