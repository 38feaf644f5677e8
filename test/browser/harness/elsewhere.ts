/** Another site on this machine, which nothing on a page of ours may ask for anything. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(elsewhere, {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  });
}
