/** What is read of Slack's answers. */

/** Beside the message that was posted, which Slack repeats as a whole. */
interface Answer {
  readonly ok?: unknown;
  readonly channel?: unknown;
  readonly ts?: unknown;
  readonly error?: unknown;
  readonly needed?: unknown;
  readonly response_metadata?: unknown;
}

/**
 * The JSON of an answer without what nobody reads: the client goes through all of it, key by key, for a line of its log.
 * What is no JSON stays as it is; what is JSON but no object is an empty one, since the client trips over it.
 */
export function essentialsOf(body: string): string {
  const answer = parsed(body);
  if (answer === undefined) return body;
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return '{}';
  const { ok, channel, ts, error, needed, response_metadata }: Answer = answer;
  return JSON.stringify({ ok, channel, ts, error, needed, response_metadata });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
