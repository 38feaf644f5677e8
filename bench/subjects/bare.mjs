// The floor: node:http and an undici pool, JSON.parse, one fixed message, no check, no store.
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { textOf } from './text.mjs';

const slack = new URL(process.env['SLACK_API']);
const pool = new Pool(slack.origin, { connections: 64 });

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const callback = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const { body } = await pool.request({
    method: 'POST',
    path: `${slack.pathname}chat.postMessage`,
    headers: { 'content-type': 'application/json', authorization: 'Bearer xoxb-bench' },
    body: JSON.stringify({ channel: '#bench', text: textOf(callback) }),
  });
  const { ok } = await body.json();
  response.writeHead(ok ? 200 : 502, { 'content-type': 'application/json' }).end('{}');
});

server.listen(0, '127.0.0.1', () => console.error(JSON.stringify({ port: server.address().port })));
process.on('SIGTERM', () => process.exit(0));
