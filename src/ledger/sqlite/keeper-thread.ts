/** The keeper's thread: reads for people, moves the log, and watches over the event loop. */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../time/clock.ts';
import { toPlainError } from '../failures.ts';
import { databaseOver } from '../registry.ts';
import {
  type FromKeeper,
  type KeeperCall,
  type KeeperSettings,
  sharedClockMs,
  type ToKeeper,
} from './keeper.ts';
import { LogMover } from './log-mover.ts';
import { openSqlite } from './transactions.ts';

const LOOK_AT_LOG_MS = 200;
/** After so many looks without a beat between them, the event loop has stood for a minute in which the process has run. */
const MISSED_LOOKS = 12;

const { path, mostLogBytes, beats, looksAtLoopMs } = workerData as KeeperSettings;
const database = openSqlite({ path, owner: '', isReader: true, clock: systemClock }).then(databaseOver);
// Calls are rejected with the reason; the next thread may find the file repaired.
database.catch(() => setImmediate(() => parentPort?.close()));
const mover = new LogMover(path, mostLogBytes);
const looking = setInterval(() => {
  if (mover.look() === 'rest') send('rest');
}, LOOK_AT_LOG_MS);
const watching = setInterval(watch, looksAtLoopMs);

function send(message: FromKeeper): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(message);
}

let seen = Atomics.load(beats, 0);
let missed = 0;

function watch(): void {
  const beat = Atomics.load(beats, 0);
  missed = beat === seen ? missed + 1 : 0;
  seen = beat;
  if (missed < MISSED_LOOKS) return;
  const stderr = 2;
  writeSync(stderr, 'the event loop has stood for a minute: this process ends itself by SIGKILL\n');
  // `process.exit` would end the thread alone.
  process.kill(process.pid, 'SIGKILL');
}

async function run({ id, name, args, until }: KeeperCall): Promise<void> {
  try {
    const { call } = await database;
    send({ id, result: await call(name, args, { withinMs: until - sharedClockMs() }) });
  } catch (error) {
    send({ id, error: toPlainError(error) });
  }
}

async function close(): Promise<void> {
  clearInterval(looking);
  clearInterval(watching);
  await database.then((opened) => opened.close()).catch(() => undefined);
  mover.close();
  parentPort?.close();
}

parentPort?.on('message', (message: ToKeeper) => {
  if (message === 'close') void close();
  else if (message === 'finish') {
    mover.finish();
    send('go on');
  } else void run(message);
});
