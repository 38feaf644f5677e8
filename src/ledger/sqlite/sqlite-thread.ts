/** SQLite's own thread: what waits in its mailbox is one transaction. The event loop of the service never waits for a disk. */
import { parentPort, workerData } from 'node:worker_threads';
import { sentError } from '../failures.ts';
import { runNamed } from '../registry.ts';
import { openSqlite } from './transactions.ts';
import {
  type FromThread,
  sharedClockMs,
  type ThreadCall,
  type ThreadReply,
  type ThreadSettings,
  type ToThread,
} from './thread-database.ts';

const transactions = openSqlite({
  ...(workerData as ThreadSettings),
  clock: { now: () => Date.now(), monotonic: sharedClockMs },
  onEvent: send,
});
// Whoever has called is told why it could not be opened; the next call starts another thread, which may find it mended.
transactions.catch(() => setImmediate(() => parentPort?.close()));

function send(message: FromThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(message);
}

/** Of one transaction. */
let unsent: ThreadReply[] = [];

function reply(each: ThreadReply): void {
  unsent.push(each);
  if (unsent.length > 1) return;
  // Once every other call of the transaction has been told, too.
  queueMicrotask(() => {
    send(unsent);
    unsent = [];
  });
}

async function run({ id, name, args, isDurable, until }: ThreadCall): Promise<void> {
  try {
    const opened = await transactions;
    reply({ id, result: await opened.runUntil(until, runNamed(name, args), isDurable) });
  } catch (error) {
    reply({ id, error: sentError(error) });
  }
}

async function close(): Promise<void> {
  await transactions.then((opened) => opened.close()).catch(() => undefined);
  parentPort?.close();
}

parentPort?.on('message', (message: ToThread) => {
  if (message === 'close') void close();
  else for (const call of message) void run(call);
});
