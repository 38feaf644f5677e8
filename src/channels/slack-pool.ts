/** The connections to one Slack; a file of its own, so that undici is loaded only where Slack is used. */
// Not undici as a whole, most of which is for fetch, caches and WebSockets: it would cost each start time and memory.
import Pool from 'undici/lib/dispatcher/pool.js';

/** Calls at the same time: Slack takes about one message a second and channel, so this is far above what it allows. */
const MAX_CONNECTIONS = 50;
const CONNECT_TIMEOUT_MS = 5_000;
/** Slack answers with some kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;

/** No time limits of its own: each call bears its deadline. */
export function openSlackPool(api: URL): Pool {
  return new Pool(api.origin, {
    connections: MAX_CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
}
