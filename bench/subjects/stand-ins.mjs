// The same fast remote for every subject: a Slack that takes everything, and keeps count of the messages about each
// callback, by the number in the message.
import { createServer } from 'node:http';

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

slack.listen(0, '127.0.0.1', () => console.error(JSON.stringify({ slackPort: slack.address().port })));
process.on('SIGTERM', () => process.exit(0));
