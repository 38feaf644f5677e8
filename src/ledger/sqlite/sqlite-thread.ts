/** SQLite's own thread: what waits in its mailbox is one transaction. The event loop of the service never waits for a disk. */
import { parentPort, workerData } from 'node:worker_threads';
import { sentError } from '../failures.ts';
import { runNamed } from '../database.ts';
import { registry } from '../registry.ts';
import { openSqlite } from './open.ts';
import {
  type FromThread,
  sharedClockMs,
  type ThreadCall,
  type ThreadSettings,
  type ToThread,
} from './thread-messages.ts';

const transactions = openSqlite({
  ...(workerData as ThreadSettings),
  now: () => Date.now(),
  monotonic: sharedClockMs,
  onEvent: (event) => send({ event }),
});
// Whoever has called is told why it could not be opened; the next call starts another thread, which may find it mended.
transactions.catch(() => setImmediate(() => parentPort?.close()));

function send(message: FromThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(message);
}

async function run({ id, name, args, isDurable, until }: ThreadCall): Promise<void> {
  try {
    const work = runNamed(registry, name, args);
    send({ id, result: await (await transactions).runUntil(until, work, isDurable) });
  } catch (error) {
    send({ id, error: sentError(error) });
  }
}

async function close(): Promise<void> {
  await transactions.then((opened) => opened.close()).catch(() => undefined);
  parentPort?.close();
}

parentPort?.on('message', (message: ToThread) => void (message === 'close' ? close() : run(message)));
