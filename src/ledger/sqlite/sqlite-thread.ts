/** The thread of a SQLite ledger, so that the service's event loop never waits for a disk. Waiting calls share one transaction. */
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
// Calls are rejected with the reason; the next call starts another thread, which may find the file repaired.
transactions.catch(() => setImmediate(() => parentPort?.close()));

function send(message: FromThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(message);
}

/** The replies of one transaction. */
let unsent: ThreadReply[] = [];

function reply(each: ThreadReply): void {
  unsent.push(each);
  if (unsent.length > 1) return;
  // After the other calls of the transaction have replied, too, so that one message carries all.
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
