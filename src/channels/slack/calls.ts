/** Calls methods of Slack's Web API with Slack's own client, over the HTTP connections that all chats use. */
import { type FetchFunction, type Logger, WebClient } from '@slack/web-api';
import { ReleasingMap } from '../../time/clock.ts';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { failureOfAnswer, jsonOf } from '../answers.ts';
import { FORM_HEADERS, JSON_HEADERS, type Remote } from '../chat/remote.ts';
import { SLACK } from './answers.ts';

/**
 * @param args undefined: the method takes none @param onWritten as of `exchange`
 * @returns Slack's answer
 * @throws {Error} the client's own, or `DeliveryFailure` for an answer that is not the API's
 */
export type SlackCall = (
  method: string,
  args: object | undefined,
  timeoutMs: number,
  onWritten?: () => unknown,
) => Promise<object>;

interface Underway {
  /** '' for a method that takes no arguments. */
  readonly json: string;
  readonly deadline: number;
  readonly onWritten: (() => unknown) | undefined;
  answer?: object;
}

/**
 * Slack's client encodes arguments as a form, copies them and the answer for log lines, and has one time limit for all calls. So it
 * gets only the number of a call, and of the answer only `ok`; its `fetch` sends the arguments in place of that number, as JSON made once.
 */
export function slackCalls(remote: Remote, token: string, api: URL): SlackCall {
  const underWay = new ReleasingMap<unknown, Underway>();
  let calls = 0;
  const client = new WebClient(token, {
    slackApiUrl: api.href,
    fetch: fetchOver(remote, underWay, secretsHidden([token])),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    // The pool limits concurrency, and calls that wait for it keep their deadlines.
    maxRequestConcurrency: Infinity,
    logger: silentLogger,
  });
  return async (method, args, timeoutMs, onWritten) => {
    calls += 1;
    // The body that the client makes of `{ call }`, by which `fetch` finds the call.
    const form = `call=${calls}`;
    const deadline = performance.now() + timeoutMs;
    const call: Underway = { json: args ? JSON.stringify(args) : '', deadline, onWritten };
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
  remote: Remote,
  underWay: ReleasingMap<unknown, Underway>,
  hide: (words: string) => string,
): FetchFunction {
  /** The parsed URL of each method, by its address. */
  const urls = new Map<unknown, URL>();
  return async (address, { headers = {}, body: form } = {}) => {
    const call = underWay.get(form);
    if (call === undefined) throw new Error("Slack's client sent a request of no call under way");
    const { json, deadline, onWritten } = call;
    const { 'content-type': type } = json === '' ? FORM_HEADERS : JSON_HEADERS;
    const sent = { authorization: String(headers['Authorization']), 'content-type': type };
    const url = urls.get(address) ?? new URL(address);
    urls.set(address, url);
    const asked = { url, headers: sent, body: json, mostBytes: Infinity };
    const answer = await remote.call(asked, deadline, onWritten);
    // Given such an answer, the client would throw an unclassified error or take foreign JSON as an answer of the API.
    if (answer.status !== 200 || answer.isCut === true || !/^\s*\{/.test(answer.body))
      throw failureOfAnswer(answer, { hide, ...SLACK, hasNoMessage: json === '' });
    const said = json === '' ? undefined : jsonOf(answer);
    // The client itself reads the token's scopes and makes the errors.
    if (said?.['ok'] !== true) return answeredWith(address, answer.body, answer.headers[SCOPES]);
    call.answer = said;
    return answeredWith(address, '{"ok":true}');
  };
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
