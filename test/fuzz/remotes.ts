/** A Slack and a mail server that answer with whatever comes to their mind. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import * as fc from 'fast-check';
import type { ReceivedCall } from '../../src/stand-ins/slack-stand-in.ts';
import type { SlackFault } from '../support/faulty-slack.ts';
import { drawn } from './values.ts';

const oddTime = fc.constantFrom(
  '0',
  '-1',
  '1.5',
  'NaN',
  '1e+300',
  '99999999999999999999',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'evil',
  '',
);

const oddError = fc.constantFrom(
  'channel_not_found',
  'invalid_blocks',
  'msg_too_long',
  'ratelimited',
  'evil\n\x1b[2J',
  'x'.repeat(300_000),
  '',
);

const oddBody = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '',
    '{"ok":"true"}',
    '{"ok":true,"ts":1,"channel":{}}',
    `{"ok":true,"ts":"${'1'.repeat(50_000)}","channel":"C"}`,
    '{"ok":false,"error":{"a":1}}',
    '{"ok":false,"error":"invalid_blocks","response_metadata":{"messages":"evil"}}',
    '{"__proto__":{"ok":true}}',
    `{"ok":${'['.repeat(100_000)}`,
    '<html>evil</html>',
    '\ufeff{"ok":true}',
  ),
);

const oddHeaders = fc.record(
  {
    'content-type': fc.constantFrom('application/json', 'text/html', 'application/json; charset=utf-16', ''),
    'retry-after': oddTime,
    location: fc.constantFrom('http://127.0.0.1:1/', 'file:///etc/passwd', '//evil.example', 'x'),
    'content-encoding': fc.constantFrom('gzip', 'br', 'evil'),
  },
  { requiredKeys: ['content-type'] },
);

const slackFault: fc.Arbitrary<SlackFault | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  {
    weight: 3,
    arbitrary: fc.record(
      { kind: fc.constant('rate_limited' as const), retryAfter: oddTime },
      { requiredKeys: ['kind'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('error' as const), error: oddError }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      status: fc.constantFrom(200, 200, 200, 204, 301, 307, 400, 403, 404, 408, 410, 429, 500, 503, 599),
      body: oddBody,
      headers: oddHeaders,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('hang', 'stall', 'cut', 'reset', 'reset_after_accepting', 'html'),
    }),
  },
);

/** What Slack does with a call, by the attack that its message is of. */
export function slackFaultOf(seed: number): (call: ReceivedCall) => SlackFault | undefined {
  const calls = new Map<string, number>();
  return ({ args }) => {
    const index = /FZ(\d+)\./.exec(JSON.stringify(args))?.[1] ?? '';
    const number = calls.get(index) ?? 0;
    calls.set(index, number + 1);
    return drawn(slackFault, seed, index, 'slack', number);
  };
}

export interface HostileMailServer {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  close(): void;
}

/** The right reply, none, none ever, or an odd one. */
const mailReply = fc.oneof(
  { weight: 65, arbitrary: fc.constant('right') },
  { weight: 3, arbitrary: fc.constant('silence') },
  { weight: 2, arbitrary: fc.constant('reset') },
  {
    weight: 30,
    arbitrary: fc.constantFrom(
      '250 ok\r\n',
      '220 evil\r\n',
      '354 go on\r\n',
      '421 4.3.2 evil\r\n',
      '450 4.2.1 later\r\n',
      '535 5.7.8 AGZ1enoARlVaWi1TTVRQLVBBU1NXT1JE no\r\n',
      '550 5.1.1 <!channel> \x1b[2J evil\r\n',
      '250-evil\r\n250-AUTH LOGIN PLAIN\r\n250 STARTTLS\r\n',
      '250-never ended\r\n',
      '999 evil\r\n',
      'evil\r\n',
      '250 ok\r\n250 ok\r\n250 ok\r\n',
      '250 ok\n',
      `250 ${'e'.repeat(200_000)}\r\n`,
      `250-${'e\r\n250-'.repeat(20_000)}e\r\n250 ok\r\n`,
      '\0\0\0\0',
    ),
  },
);

export async function startHostileMailServer(seed: number): Promise<HostileMailServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    connections += 1;
    const [connection, replies] = [connections, { count: 0 }];
    converse(socket, () => drawn(mailReply, seed, 'mail', connection, (replies.count += 1)));
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

function converse(socket: Socket, nextReply: () => string): void {
  let isInData = false;
  socket.on('error', () => socket.destroy());
  const say = (right: string) => {
    const reply = nextReply();
    if (socket.destroyed || reply === 'silence') return;
    if (reply === 'reset') socket.resetAndDestroy();
    else socket.write(reply === 'right' ? right : reply);
  };
  say('220 fuzz ESMTP\r\n');
  socket.on('data', (chunk) => {
    for (const line of chunk.toString('latin1').split('\r\n')) {
      if (line === '' || (isInData && line !== '.')) continue;
      isInData = !isInData && /^data$/i.test(line);
      say(isInData ? '354 go on\r\n' : replyTo(line));
    }
  });
}

function replyTo(line: string): string {
  if (/^ehlo/i.test(line)) return '250-fuzz\r\n250 AUTH PLAIN LOGIN\r\n';
  return /^auth/i.test(line) ? '235 welcome\r\n' : '250 ok\r\n';
}
