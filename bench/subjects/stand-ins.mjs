// The same fast remotes for every subject: a Slack that takes everything, and a mail server that does. Both keep count
// of the messages about each callback, by the number in the message.
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';

/** Messages by the callback's number. */
const messages = new Uint8Array(10_000_000);
let unnumbered = 0;

function count(message) {
  const number = /job-(\d{7})/.exec(message)?.[1];
  if (number === undefined) unnumbered += 1;
  else messages[Number(number)] += 1;
}

function tally(from, to) {
  const range = messages.subarray(from, to);
  const once = range.reduce((sum, times) => sum + (times === 1 ? 1 : 0), 0);
  const often = range.reduce((sum, times) => sum + (times > 1 ? 1 : 0), 0);
  return JSON.stringify({ once, often, unnumbered });
}

const slack = createServer((request, response) => {
  if (request.url.startsWith('/tally')) {
    const query = new URL(request.url, 'http://bench').searchParams;
    return response.end(tally(Number(query.get('from')), Number(query.get('to'))));
  }
  let message = '';
  request
    .setEncoding('latin1')
    .on('data', (chunk) => (message += chunk))
    .on('end', () => {
      count(message);
      response
        .writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
        .end('{"ok":true,"channel":"C0BENCH01","ts":"1700000000.000100","message":{"text":"x"}}');
    });
});
// Nobody's connection is closed between two phases: a request on it would fail.
slack.keepAliveTimeout = 120_000;

/** Just enough of SMTP (RFC 5321) to take a mail without adding to what is measured. */
const mail = createTcpServer((socket) => {
  let isData = false;
  let rest = '';
  socket.setNoDelay(true).on('error', () => socket.destroy());
  socket.write('220 bench ESMTP\r\n');
  socket.setEncoding('latin1').on('data', (chunk) => {
    rest += chunk;
    for (;;) {
      const end = isData ? rest.indexOf('\r\n.\r\n') : rest.indexOf('\r\n');
      if (end < 0) return;
      const line = rest.slice(0, end);
      rest = rest.slice(end + (isData ? 5 : 2));
      if (isData) {
        isData = false;
        count(line);
        socket.write('250 taken\r\n');
      } else if (/^EHLO/i.test(line)) socket.write('250-bench\r\n250 8BITMIME\r\n');
      else if (/^DATA/i.test(line)) {
        isData = true;
        socket.write('354 go on\r\n');
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    }
  });
});

slack.listen(0, '127.0.0.1', () =>
  mail.listen(0, '127.0.0.1', () =>
    console.error(JSON.stringify({ slackPort: slack.address().port, smtpPort: mail.address().port })),
  ),
);
process.on('SIGTERM', () => process.exit(0));
