/** Logs: one JSON line each, or a readable one where a person watches. */
import { type DestinationStream, pino, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Logs are messages to the operator, so they go to stderr, and results to stdout. */
const STDERR = 2;

/**
 * @param isForPeople colours and one short line instead of JSON
 * @param redact takes every secret out of a line, whatever an error or a library has put into it
 */
export async function createLogger(
  level: LogLevel,
  isForPeople: boolean,
  redact: (line: string) => string,
): Promise<Logger> {
  const options = { level, base: undefined, hooks: { streamWrite: redact } };
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

/** What is logged in one turn of the event loop is written at its end in one go: a write for each line costs as much as the line. */
function oncePerTurn(): DestinationStream {
  let held = '';
  const flush = () => {
    process.off('exit', flush);
    const lines = held;
    held = '';
    process.stderr.write(lines);
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
