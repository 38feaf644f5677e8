/** The pause that a remote asks for. */

const SHORTEST_MS = 1000;

/** Longer pauses are cut to an hour: a wrong header must not stop a destination for a year. */
export const LONGEST_PAUSE_MS = 3_600_000;

/** The pause if the remote names none: the advice in Slack's documentation of its rate limits. */
export const UNSPECIFIED_PAUSE_MS = 30_000;

/**
 * The pause in milliseconds that a Retry-After (RFC 9110, 10.2.3) asks for, or a similar value in a JSON answer.
 * @param asked a number of seconds, as a number or as text, or an HTTP date @returns undefined: it is neither
 */
export function askedMs(asked: unknown, nowMs: number): number | undefined {
  const text = typeof asked === 'string' || typeof asked === 'number' ? String(asked).trim() : '';
  let ms = Number.NaN;
  if (/^\d+(?:\.\d+)?$/.test(text)) ms = Math.ceil(Number(text) * 1000);
  // RFC 9110, 5.6.7: the only form that servers still send.
  if (/^[A-Z][a-z]+, .* GMT$/.test(text)) ms = Date.parse(text) - nowMs;
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The pause as a finite whole number between a second and an hour, even for NaN and infinity. */
export function obeyedMs(ms: number): number {
  if (Number.isNaN(ms)) return UNSPECIFIED_PAUSE_MS;
  return Math.min(Math.max(Math.ceil(ms), SHORTEST_MS), LONGEST_PAUSE_MS);
}
