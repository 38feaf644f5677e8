/** For how long a remote asks to be left alone. */

const SHORTEST_MS = 1000;

/** Where a remote asks for more, the next attempt comes after an hour: a wrong header must not stop it for a year. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Where nothing says how long: what Slack's documentation of its rate limits advises. */
export const UNSPECIFIED_PAUSE_MS = 30_000;

const SECONDS = /^\d+(?:\.\d+)?$/;

/** RFC 9110, 5.6.7: the form that every server of today sends. */
const HTTP_DATE = /^[A-Z][a-z]+, .* GMT$/;

/**
 * What a Retry-After asks for (RFC 9110, 10.2.3), or the like of it in a JSON answer, in milliseconds: half a minute where
 * that cannot be read. `obeyedMs` says how much of it is obeyed.
 * @param asked a number of seconds, as a number or as text, or an HTTP date
 * @param nowMs since the epoch
 */
export function askedMs(asked: unknown, nowMs: number): number {
  const ms = Math.ceil(millisecondsIn(asked, nowMs));
  return Number.isSafeInteger(ms) ? ms : UNSPECIFIED_PAUSE_MS;
}

/** Whoever asks for it: a whole number that can be compared, added up and written down. */
export function obeyedMs(ms: number): number {
  if (Number.isNaN(ms)) return UNSPECIFIED_PAUSE_MS;
  return Math.min(Math.max(Math.ceil(ms), SHORTEST_MS), LONGEST_PAUSE_MS);
}

/** NaN where it cannot be read. */
function millisecondsIn(asked: unknown, nowMs: number): number {
  if (typeof asked === 'number') return asked < 0 ? Number.NaN : asked * 1000;
  if (typeof asked !== 'string') return Number.NaN;
  const text = asked.trim();
  if (SECONDS.test(text)) return Number(text) * 1000;
  return HTTP_DATE.test(text) ? Date.parse(text) - nowMs : Number.NaN;
}
