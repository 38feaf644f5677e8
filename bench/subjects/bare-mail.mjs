// A bare mail relay: node:http and a nodemailer pool, one fixed mail for each callback.
import { createServer } from 'node:http';
import { createTransport } from 'nodemailer';

const transport = createTransport({
  host: '127.0.0.1',
  port: Number(process.env['SMTP_PORT']),
  ignoreTLS: true,
  pool: true,
  maxConnections: 20,
  maxMessages: Infinity,
});

/** As long as the product's, where that is asked for. */
const same = process.env['MESSAGE'] ? JSON.parse(process.env['MESSAGE']) : undefined;

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const callback = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  await transport.sendMail({
    from: 'alerts@example.com',
    to: 'ops@example.com',
    subject: `${callback.bot_name}: ${callback.status}`,
    text: same?.text ?? `${callback.bot_name}: ${callback.message ?? ''}`,
    html: same?.html ?? `<p>${callback.bot_name}</p>`,
    messageId: `<${callback.job_id}@example.com>`,
  });
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

server.listen(0, '127.0.0.1', () => console.error(JSON.stringify({ port: server.address().port })));
process.on('SIGTERM', () => process.exit(0));
