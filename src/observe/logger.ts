/** Logs: one JSON line each, or a readable one where a person watches. */
import { pino, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Logs are messages to the operator, so they go to stderr, and results to stdout. */
const STDERR = 2;

/** @param isForPeople colours and one short line instead of JSON */
export async function createLogger(level: LogLevel, isForPeople: boolean): Promise<Logger> {
  if (!isForPeople) return pino({ level, base: undefined }, pino.destination({ fd: STDERR, sync: true }));
  const { PinoPretty } = await import('pino-pretty');
  const stream = PinoPretty({
    colorize: true,
    destination: STDERR,
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    ignore: 'pid,hostname',
  });
  return pino({ level, base: undefined }, stream);
}
