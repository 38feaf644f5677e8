/** Calls methods of Slack's Web API with Slack's own client over one connection pool. */
import { type FetchFunction, type Logger, WebClient } from '@slack/web-api';
import { exchange } from '../../outbound/exchange.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { failureOfAnswer } from '../answers.ts';
import { SLACK } from './answers.ts';

/**
 * @param args undefined: the method takes none
 * @returns Slack's answer without the `message` that it repeats
 * @throws {Error} the client's own, or `DeliveryFailure` for an answer that is none of the API
 */
export type SlackCall = (method: string, args: object | undefined, timeoutMs: number) => Promise<object>;

/** What is sent for one call. */
interface Sent {
  /** Undefined: there are no arguments. */
  readonly json: string | undefined;
  /** On the scale of `performance.now()`. */
  readonly deadline: number;
}

/**
 * The client writes its arguments as a form, copies them for log lines, and has one time limit for all calls. So it is given the
 * number of a call alone, in place of which the call's arguments, made into JSON once, are sent.
 */
export function slackCalls(pool: HttpPool, token: string, api: URL): SlackCall {
  const underWay = new Map<string, Sent>();
  let calls = 0;
  const client = new WebClient(token, {
    slackApiUrl: api.href,
    fetch: fetchOver(pool, underWay),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    // The pool limits concurrency, and calls that wait for it keep their deadlines.
    maxRequestConcurrency: Infinity,
    logger: silentLogger,
  });
  return async (method, args, timeoutMs) => {
    calls += 1;
    // As the client encodes `{ call }`.
    const form = `call=${calls}`;
    underWay.set(form, { json: args && JSON.stringify(args), deadline: performance.now() + timeoutMs });
    try {
      return await client.apiCall(method, { call: calls });
    } finally {
      underWay.delete(form);
    }
  };
}

const AS_JSON = { 'Content-Type': 'application/json; charset=utf-8' };

function fetchOver(pool: HttpPool, underWay: ReadonlyMap<unknown, Sent>): FetchFunction {
  return async (address, { headers = {}, body: form } = {}) => {
    const sent = underWay.get(form);
    if (sent === undefined) throw new Error("Slack's client sends what is no call under way");
    const { json, deadline } = sent;
    const { pathname, search } = new URL(address);
    const answer = await exchange(pool, {
      path: pathname + search,
      headers: json === undefined ? headers : { ...headers, ...AS_JSON },
      body: json ?? '',
      deadline,
    });
    // Given such an answer, the client would throw an unclassified error or take foreign JSON as an answer of the API.
    if (answer.status !== 200 || !/^\s*\{/.test(answer.body)) throw failureOfAnswer(answer, SLACK);
    return answeredWith(address, withoutMessage(answer.body), answer.headers[SCOPES]);
  };
}

/** Longer answers repeat the message, of which the client would make copies for its log. */
const LONGEST_PLAIN_ANSWER = 300;

function withoutMessage(answer: string): string {
  if (answer.length <= LONGEST_PLAIN_ANSWER) return answer;
  try {
    return JSON.stringify({ ...(JSON.parse(answer) as object), message: undefined });
  } catch {
    return answer;
  }
}

/** The header in which Slack names the scopes of the token. */
const SCOPES = 'x-oauth-scopes';

/** The members of a response that the client reads; a `Response` of Node's costs as much as the rest of the call. */
function answeredWith(
  address: string | URL,
  body: string,
  scopes: string | readonly string[] = '',
): Awaited<ReturnType<FetchFunction>> {
  const whole = () => new Response(body);
  return {
    ok: true,
    status: 200,
    statusText: 'OK',
    url: String(address),
    headers: new Headers(scopes.length > 0 ? { [SCOPES]: String(scopes) } : {}),
    text: () => Promise.resolve(body),
    json: () => whole().json(),
    arrayBuffer: () => whole().arrayBuffer(),
  };
}

const ignore = (): void => undefined;

/** The client's logger would print to the console, request bodies included. */
const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  setLevel: ignore,
  getLevel: () => 'error' as ReturnType<Logger['getLevel']>,
  setName: ignore,
};
