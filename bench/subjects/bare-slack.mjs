// What one would write in an afternoon: Koa, koa-bodyparser and @slack/web-api with its defaults, retries off.
import { WebClient } from '@slack/web-api';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { textOf } from './text.mjs';

const slack = new WebClient('xoxb-bench', {
  slackApiUrl: process.env['SLACK_API'],
  retryConfig: { retries: 0 },
});

const app = new Koa();
app.use(bodyParser({ jsonLimit: '8mb' }));
app.use(async (ctx) => {
  const { ok } = await slack.chat.postMessage({
    channel: '#bench',
    text: textOf(ctx.request.body),
  });
  ctx.status = ok ? 200 : 502;
  ctx.body = {};
});

const server = app.listen(0, '127.0.0.1', () => {
  console.error(JSON.stringify({ port: server.address().port }));
});
process.on('SIGTERM', () => process.exit(0));
