// The same fast remotes for every subject: a Slack that takes everything, and a mail server that does. Both count.
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';

const counts = { slack: 0, mail: 0 };

const slack = createServer((request, response) => {
  if (request.url === '/counts') return response.end(JSON.stringify(counts));
  request.resume().on('end', () => {
    counts.slack += 1;
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
      .end('{"ok":true,"channel":"C0BENCH01","ts":"1700000000.000100","message":{"text":"x"}}');
  });
});

/** Just enough of SMTP (RFC 5321) to take a mail without adding to what is measured. */
const mail = createTcpServer((socket) => {
  let isData = false;
  let rest = '';
  socket.setNoDelay(true).on('error', () => socket.destroy());
  socket.write('220 bench ESMTP\r\n');
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    for (;;) {
      const end = isData ? rest.indexOf('\r\n.\r\n') : rest.indexOf('\r\n');
      if (end < 0) return;
      const line = rest.slice(0, end);
      rest = rest.slice(end + (isData ? 5 : 2));
      if (isData) {
        isData = false;
        counts.mail += 1;
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
