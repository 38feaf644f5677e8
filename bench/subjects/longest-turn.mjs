// Loaded into the product (`--import`): says how long the longest turn of its event loop was since it was last asked.
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 1;

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  createServer((socket) => {
    // The histogram counts from one timer to the next.
    socket.end(JSON.stringify(Math.max(0, delay.max / 1e6 - RESOLUTION_MS)));
    delay.reset();
  })
    .listen(process.env.INSIDE_SOCKET)
    .unref();
}
