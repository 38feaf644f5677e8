/** The quick yes to a callback. Whatever it does not take goes through the schema, which has the words for what is wrong. */
import { parseStartTime } from './start-time.ts';

/**
 * Whether the schema would take it; a test holds the two to each other.
 * @param timezone in which a `start_time` without an offset is read
 */
export function isCallback(value: Readonly<Record<string, unknown>>, timezone: string): boolean {
  const { code, job_id, bot_id, bot_name, status, start_time } = value;
  return (
    Number.isInteger(code) &&
    typeof job_id === 'string' &&
    typeof bot_id === 'string' &&
    typeof bot_name === 'string' &&
    (status === 0 || status === 1 || status === 2) &&
    typeof start_time === 'string' &&
    parseStartTime(start_time, timezone) !== undefined &&
    hasItsOptionalFields(value)
  );
}

function hasItsOptionalFields({ elapsed_time, output, message }: Readonly<Record<string, unknown>>): boolean {
  return (
    (isAbsent(elapsed_time) || Number.isInteger(elapsed_time)) &&
    (isAbsent(output) || (typeof output === 'object' && !Array.isArray(output))) &&
    (isAbsent(message) || typeof message === 'string')
  );
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
