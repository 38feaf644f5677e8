/** A logger whose lines a test reads. */
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

export function loggedBy(): { readonly logger: Logger; readonly lines: readonly Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const { time: _time, ...line } = JSON.parse(chunk.toString()) as Record<string, unknown>;
      lines.push(line);
      done();
    },
  });
  return { lines, logger: pino({ base: undefined }, stream) };
}
