/** Creates the logger: JSON lines, or readable ones on a terminal. */
import { visible } from '../text/clean.ts';
import { isJsonObject } from '../text/json.ts';
import { type DestinationStream, pino, type Logger as PinoLogger, type LoggerOptions } from 'pino';

export type Logger = PinoLogger;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Logs go to stderr, since stdout is for the results of commands. */
const STDERR = 2;

/**
 * @param readersTime how people read a line's time: they get short lines, in colours where their terminal has these; else JSON
 * @param inWords what people read in place of a line's `msg`
 * @param redact removes every secret from a text; applied to all that is logged, including errors of libraries
 */
export async function createLogger(
  level: LogLevel,
  readersTime: Intl.DateTimeFormat | undefined,
  redact: (text: string) => string,
  inWords: (line: string) => string = (line) => line,
): Promise<Logger> {
  const shown = readersTime === undefined ? visible : shownEscapes;
  const hooks: LoggerOptions['hooks'] = { streamWrite: (line) => shown(withoutSecrets(line, redact)) };
  const options = { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, hooks };
  const formatters = { level: (name: string) => ({ level: name }) };
  if (readersTime === undefined) return pino({ formatters, ...options }, oncePerTurn());
  // The named export is not in the bundle.
  const { default: prettyStream } = await import('pino-pretty');
  const stream = prettyStream({
    destination: STDERR,
    sync: true,
    translateTime: false,
    customPrettifiers: { time: (time) => `[${readersTime.format(new Date(time as string))}]` },
    singleLine: true,
    ignore: 'pid,hostname',
    messageFormat: (log, key) => inWords((log[key] as string | undefined) ?? ''),
  });
  return pino(options, stream);
}

/**
 * To replace a secret such as a number within JSON would break the syntax, and an escape may change how a secret is spelt. So in the
 * few lines that hold a secret or an escape, each text is redacted by itself.
 */
function withoutSecrets(line: string, redact: (text: string) => string): string {
  if (!line.includes('\\') && redact(line) === line) return line;
  const redacted: unknown = JSON.parse(line, (_key, value: unknown) => {
    if (typeof value === 'string') return redact(value);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), item]));
  });
  return `${JSON.stringify(redacted)}\n`;
}

/** Doubles the backslash of JSON's escapes of control characters, since pino-pretty would decode them. */
function shownEscapes(line: string): string {
  return visible(line).replace(/\\(?:([bfr]|u[0-9a-f]{4})|.)/g, (escape, acting?: string) =>
    acting === undefined ? escape : `\\${escape}`,
  );
}

/** Bytes that may wait in stderr's buffer. A collector that hangs for days must not use up the memory. */
const LARGEST_BACKLOG = 4 * 1024 * 1024;

/**
 * Writes all lines of one turn of the event loop at once, since a write for each costs as much as making the line. pino's own
 * destination needs `flushSync` at exit, which never ends when nobody reads or the disk is full, or else blocks the event loop.
 * Node's stderr writes what fits and drops the rest.
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
  return `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg: `nobody read the log: ${length} characters of it are lost` })}\n`;
}
