// Tells the main thread when each callback is due: a timer of the event loop would be up to a millisecond late.
import { parentPort } from 'node:worker_threads';

const neverNotified = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on('message', ({ startMs, intervalMs, count }) => {
  for (let index = 0; index < count; index += 1) {
    sleepUntil(startMs + index * intervalMs);
    parentPort?.postMessage(index);
  }
});

// The clock is monotonicMs of metronome.ts.
function sleepUntil(dueMs) {
  for (;;) {
    const leftMs = dueMs - Number(process.hrtime.bigint()) / 1e6;
    if (leftMs <= 0) return;
    Atomics.wait(neverNotified, 0, 0, leftMs);
  }
}
