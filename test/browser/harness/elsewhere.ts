/** Another site on this machine, which nothing on a page of ours may ask for anything. */
import { createServer } from 'node:http';
import { onLoopback } from '../../support/on-loopback.ts';

export type Elsewhere = Awaited<ReturnType<typeof startElsewhere>>;

/** `asked`: paths that were asked for; `html`: what it answers to whoever asks for `/`. Another port is another origin. */
export async function startElsewhere() {
  const elsewhere = { html: '', asked: [] as string[] };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    elsewhere.asked.push(path);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(path === '/' ? elsewhere.html : '');
  });
  const { host, close } = await onLoopback(server);
  return Object.assign(elsewhere, { origin: `http://${host}`, close });
}
