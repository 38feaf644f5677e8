/** Logs: one JSON line each, or a readable one where a person watches. */
import { visible } from '../text/clean.ts';
import { isJsonObject } from '../text/json-object.ts';
import { type DestinationStream, pino, type Logger as PinoLogger, type LoggerOptions } from 'pino';

export type Logger = PinoLogger;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Logs are messages to the operator, so they go to stderr, and results to stdout. */
const STDERR = 2;

/**
 * @param isForPeople colours and one short line instead of JSON
 * @param redact takes every secret out of a text, whatever an error or a library has put into it
 */
export async function createLogger(
  level: LogLevel,
  isForPeople: boolean,
  redact: (text: string) => string,
): Promise<Logger> {
  const hooks: LoggerOptions['hooks'] = {
    logMethod(args, method) {
      const redacted: unknown[] = args.map((arg) => withoutSecrets(arg, redact));
      Reflect.apply(method, this, redacted);
    },
    streamWrite: isForPeople ? shownEscapes : visible,
  };
  const options = { level, base: undefined, hooks };
  if (!isForPeople) return pino(options, oncePerTurn());
  const { PinoPretty } = await import('pino-pretty');
  const stream = PinoPretty({
    colorize: true,
    destination: STDERR,
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    ignore: 'pid,hostname',
  });
  return pino(options, stream);
}

/** Levels; what is logged has two or three. */
const DEEPEST = 8;

/** Before it becomes JSON, which a secret that is a number or a word of JSON would tear. */
function withoutSecrets(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (depth > DEEPEST) return undefined;
  const inner = (item: unknown) => withoutSecrets(item, redact, depth + 1);
  if (value instanceof Error) return inner({ ...pino.stdSerializers.err(value) });
  if (Array.isArray(value)) return value.map(inner);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]));
}

/** What JSON escapes, the readable form would write out: escaped twice, it is read as it stands here. */
function shownEscapes(line: string): string {
  return visible(line).replace(/\\(?:([bfr]|u[0-9a-f]{4})|.)/g, (escape, acting?: string) =>
    acting === undefined ? escape : `\\${escape}`,
  );
}

/** Bytes that may wait for a reader who does not read: a collector that hangs for days must not take all memory. */
const LARGEST_BACKLOG = 4 * 1024 * 1024;

/**
 * What is logged in one turn of the event loop is written at its end in one go: a write for each line costs as much as
 * the line.
 *
 * pino's own destination (sonic-boom) was tried. Asynchronous, it writes what is left when the process exits until it has
 * been read: where nobody reads, or the disk is full, the process never ends, and without its own `flushSync` the last
 * lines are lost. Synchronous, it stops the event loop for as long. Node's stderr takes what fits and gives up the rest.
 */
function oncePerTurn(): DestinationStream {
  let held = '';
  let unread = 0;
  const flush = () => {
    process.off('exit', flush);
    const lines = held;
    held = '';
    if (process.stderr.writableLength > LARGEST_BACKLOG) unread += lines.length;
    else {
      process.stderr.write(unread === 0 ? lines : gapOf(unread) + lines);
      unread = 0;
    }
  };
  return {
    write(line) {
      if (held === '') {
        process.on('exit', flush);
        setImmediate(flush);
      }
      held += line;
    },
  };
}

function gapOf(length: number): string {
  return `${JSON.stringify({ level: 40, time: Date.now(), msg: `nobody read the log: ${length} characters of it are lost` })}\n`;
}
