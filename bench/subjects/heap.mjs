// Loaded into the product (`--import`): says how many bytes its heap takes once garbage is collected.
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  createServer((socket) => {
    collect();
    socket.end(JSON.stringify(process.memoryUsage().heapUsed));
  })
    .listen(process.env.INSIDE_SOCKET)
    .unref();
}
