/** The thread of a SQLite ledger, so that the service's event loop never waits for a disk. Waiting calls share one transaction. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../time/clock.ts';
import { sentError } from '../failures.ts';
import { databaseOver } from '../registry.ts';
import { openSqlite } from './transactions.ts';
import {
  type FromThread,
  sharedClockMs,
  type ThreadCall,
  type ThreadReply,
  type ThreadSettings,
  type ToThread,
} from './thread-database.ts';

const settings = workerData as ThreadSettings;
const database = openSqlite({ ...settings, clock: systemClock, onEvent: send }).then(databaseOver);
// Calls are rejected with the reason; the next call starts another thread, which may find the file repaired.
database.catch(() => setImmediate(() => parentPort?.close()));

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
    const { call } = await database;
    const result = await call(name, args, { withinMs: until - sharedClockMs(), isDurable });
    reply({ id, result });
  } catch (error) {
    reply({ id, error: sentError(error) });
  }
}

async function close(): Promise<void> {
  await database.then((opened) => opened.close()).catch(() => undefined);
  parentPort?.close();
}

parentPort?.on('message', (message: ToThread) => {
  if (message === 'close') void close();
  else for (const call of message) void run(call);
});
