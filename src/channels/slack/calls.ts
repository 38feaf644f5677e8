/** Calls methods of Slack's Web API with Slack's own client over one connection pool. */
import { type FetchFunction, type Logger, WebClient } from '@slack/web-api';
import { exchange, type HttpAnswer, NothingSent } from '../../outbound/exchange.ts';
import type { HttpPool } from '../../outbound/pool.ts';
import { Passing } from '../../time/clock.ts';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { failureOfAnswer, jsonOf } from '../answers.ts';
import { JSON_HEADERS } from '../chat/remote.ts';
import { SLACK } from './answers.ts';

/**
 * @param args undefined: the method takes none @param onWritten as of `exchange`
 * @returns Slack's answer
 * @throws {Error} the client's own, or `DeliveryFailure` for an answer that is none of the API
 */
export type SlackCall = (
  method: string,
  args: object | undefined,
  timeoutMs: number,
  onWritten?: () => void,
) => Promise<object>;

interface Underway {
  readonly json: string | undefined;
  readonly deadline: number;
  readonly onWritten: (() => void) | undefined;
  answer?: object;
}

/**
 * The client writes its arguments as a form, copies them and the answer for log lines, and has one time limit for all calls. So it is
 * given the number of a call alone, in place of which the call's arguments, made into JSON once, are sent; and it is told `ok` alone.
 */
export function slackCalls(pool: HttpPool, token: string, api: URL): SlackCall {
  const underWay = new Passing<unknown, Underway>();
  let calls = 0;
  const client = new WebClient(token, {
    slackApiUrl: api.href,
    fetch: fetchOver(pool, api, underWay, secretsHidden([token])),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    // The pool limits concurrency, and calls that wait for it keep their deadlines.
    maxRequestConcurrency: Infinity,
    logger: silentLogger,
  });
  return async (method, args, timeoutMs, onWritten) => {
    calls += 1;
    // As the client encodes `{ call }`.
    const form = `call=${calls}`;
    const deadline = performance.now() + timeoutMs;
    const call: Underway = { json: args && JSON.stringify(args), deadline, onWritten };
    underWay.set(form, call);
    try {
      const told = await client.apiCall(method, { call: calls });
      return call.answer ?? told;
    } finally {
      underWay.delete(form);
    }
  };
}

function fetchOver(
  pool: HttpPool,
  { origin }: URL,
  underWay: Passing<unknown, Underway>,
  hide: (words: string) => string,
): FetchFunction {
  return async (address, { headers = {}, body: form } = {}) => {
    const call = underWay.get(form);
    if (call === undefined) throw new Error("Slack's client sends what is no call under way");
    const { json } = call;
    const answer = await asked(pool, String(address).slice(origin.length), headers, call);
    // Given such an answer, the client would throw an unclassified error or take foreign JSON as an answer of the API.
    if (answer.status !== 200 || answer.isCut === true || !/^\s*\{/.test(answer.body))
      throw failureOfAnswer(answer, { hide, ...SLACK, hasNoMessage: json === undefined });
    const said = json === undefined ? undefined : jsonOf(answer);
    // The client finds the token's scopes itself, and makes the errors.
    if (said?.['ok'] !== true) return answeredWith(address, answer.body, answer.headers[SCOPES]);
    call.answer = said;
    return answeredWith(address, '{"ok":true}');
  };
}

function asked(
  pool: HttpPool,
  path: string,
  ofClient: Readonly<Record<string, string>>,
  { json, deadline, onWritten }: Underway,
): Promise<HttpAnswer> {
  const headers: Record<string, string> = { 'Accept-Encoding': 'identity', ...ofClient };
  if (json !== undefined) headers['Content-Type'] = JSON_HEADERS['content-type'];
  const answer = exchange(pool, { path, headers, body: json ?? '', deadline, onWritten });
  if (json !== undefined) return answer;
  return answer.catch((error: unknown) => {
    throw new NothingSent(error);
  });
}

const SCOPES = 'x-oauth-scopes';

/** The members of a response that the client reads; a `Response` of Node's costs as much as the rest of the call. */
function answeredWith(address: string | URL, body: string, scopes: string | readonly string[] = '') {
  const read = {
    status: 200,
    url: String(address),
    headers: { get: (name: string) => (name === SCOPES ? String(scopes) || null : null) },
    text: () => Promise.resolve(body),
  };
  return read as Awaited<ReturnType<FetchFunction>>;
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
