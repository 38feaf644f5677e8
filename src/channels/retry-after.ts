/** The pause that a remote asks for. */

const SHORTEST_MS = 1000;

/** Longer pauses are cut to an hour: a wrong header must not stop a destination for a year. */
const LONGEST_PAUSE_MS = 3_600_000;

/** The pause if the remote names none: the advice in Slack's documentation of its rate limits. */
export const UNSPECIFIED_PAUSE_MS = 30_000;

const SECONDS = /^\d+(?:\.\d+)?$/;

/** RFC 9110, 5.6.7: the only form that servers still send. */
const HTTP_DATE = /^[A-Z][a-z]+, .* GMT$/;

/**
 * The pause in milliseconds that a Retry-After (RFC 9110, 10.2.3), or a similar value in a JSON answer, asks for: half a
 * minute if the value cannot be read. `obeyedMs` limits it.
 * @param asked a number of seconds, as a number or as text, or an HTTP date
 * @param nowMs since the epoch
 */
export function askedMs(asked: unknown, nowMs: number): number {
  const ms = Math.ceil(millisecondsIn(asked, nowMs));
  return Number.isSafeInteger(ms) ? ms : UNSPECIFIED_PAUSE_MS;
}

/** The pause as a finite whole number between a second and an hour, even for NaN and infinity. */
export function obeyedMs(ms: number): number {
  if (Number.isNaN(ms)) return UNSPECIFIED_PAUSE_MS;
  return Math.min(Math.max(Math.ceil(ms), SHORTEST_MS), LONGEST_PAUSE_MS);
}

/** NaN if the value cannot be read. */
function millisecondsIn(asked: unknown, nowMs: number): number {
  if (typeof asked === 'number') return asked < 0 ? Number.NaN : asked * 1000;
  if (typeof asked !== 'string') return Number.NaN;
  const text = asked.trim();
  if (SECONDS.test(text)) return Number(text) * 1000;
  return HTTP_DATE.test(text) ? Date.parse(text) - nowMs : Number.NaN;
}
