/** Runs the command line in this process and sets the exit code. */
import { closeSync, fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { runProgram } from './cli/program.ts';
import { endDespiteHangingStore } from './ledger/sqlite/keeper.ts';
import { disk } from './text/read-text.ts';

/** When a command is done, connections that remotes keep open end the wait for exit after this time. */
const LAST_WAIT_MS = 100;

// A compose file passes an unset variable on as an empty one.
if (process.env['BOTBELL_LOG_LEVEL'] === '') delete process.env['BOTBELL_LOG_LEVEL'];

const variables = { ...process.env };
// Made before the process leaves the time zone of whoever sits at the terminal.
const readersTime = process.stderr.isTTY
  ? new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
  : undefined;
// Templates' filters of dates take the local time apart by the clocks of the process: where it is elsewhere, these skip or repeat an hour.
process.env['TZ'] = 'UTC';

const running = { isService: false };

const message = (text: string) => void process.stderr.write(`${text}\n`);

// A stream's error must not stop deliveries. EPIPE: the reader of a result has seen enough. On a full disk, the result is lost.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code, message: reason }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || running.isService) return;
    process.exitCode = 1;
    if (stream === process.stdout) message(`the result cannot be written: ${reason}`);
  });

// At exit, Node aborts if it cannot reset a terminal that is gone, but passes over what is closed.
const terminals = [0, 1, 2].filter((fd) => isatty(fd));
process.on('exit', () => {
  for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
});

const STDOUT = 1;

/** Writes to a file synchronously: if its disk fills up, Node's stream would write the beginning and leave out the rest without a word. */
function result(text: string): void {
  let rest: Uint8Array = Buffer.from(`${text}\n`);
  if (!fstatSync(STDOUT).isFile()) return void process.stdout.write(rest);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
  } catch (error) {
    process.stdout.emit('error', error);
  }
}

const exitCode = await runProgram(process.argv.slice(2), {
  variables,
  configFile: undefined,
  isTerminal: process.stdout.isTTY && process.stderr.isTTY,
  readersTime,
  result,
  message,
  stdin: () => process.stdin,
  ask: process.stdin.isTTY && process.stderr.isTTY ? askTerminal : undefined,
  untilStopped,
  endOnHangup: () => void process.removeAllListeners('SIGHUP'),
  onHangup: (listener) => void process.on('SIGHUP', listener),
});
process.exitCode ||= exitCode;
// A slow reader of a pipe gets all of the result. A service does not wait for its readers, so that it ends in time.
if (!running.isService) await Promise.all([process.stdout, process.stderr].map(untilFlushed));
setTimeout(() => {
  endDespiteHangingStore(message);
  // `process.exit` would wait for Node's threads, one of which hangs on the disk.
  if (disk.isHanging) process.kill(process.pid, 'SIGKILL');
  process.exit();
}, LAST_WAIT_MS).unref();

/** Resolves when all that was written to the stream is handed on, or cannot be any more. */
function untilFlushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}

/** Resolves to '' when the terminal is closed without an answer. */
async function askTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    const abandon = () => {
      // What comes next, be it the shell's prompt, begins a line.
      message('');
      resolve('');
    };
    lines.on('close', abandon);
    lines.on('SIGINT', () => {
      lines.close();
      process.kill(process.pid, 'SIGINT');
    });
    // After Ctrl+Z and `fg`, Node leaves its input paused, and the process would end.
    lines.on('SIGCONT', () => lines.resume());
    lines.question(question, (answer) => {
      lines.off('close', abandon);
      lines.close();
      resolve(answer);
    });
  });
}

/**
 * Resolves at the first SIGTERM or SIGINT. Later ones change nothing: a supervisor may signal the whole process group, and npm
 * forwards its signals, so one signal can come twice.
 */
function untilStopped(): Promise<void> {
  running.isService = true;
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: NodeJS.Signals) => {
      if (isStopping && signal === 'SIGINT')
        message(`stopping; to end it at once, and lose nothing but time: kill -9 ${process.pid}`);
      isStopping = true;
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
