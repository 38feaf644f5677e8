/** Somebody elsewhere who is asked by the heartbeat, and answers as a test says. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Watcher {
  /** Without a slash at its end. */
  readonly origin: string;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
  /** The status of its answers; at first 200. */
  status: number;
  close(): Promise<void>;
}

export async function startWatcher(): Promise<Watcher> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(watcher.status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const watcher: Watcher = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    status: 200,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return watcher;
}
