/** Calls methods of Slack's Web API with Slack's own client, over the HTTP connections that all chats use. */
import { type FetchFunction, type Logger, WebClient } from '@slack/web-api';
import { secretsHidden } from '../../text/hide-secrets.ts';
import { failureOfAnswer, jsonOf } from '../answers.ts';
import { FORM_HEADERS, jsonHeaders, type Remote } from '../chat/remote.ts';
import { SLACK } from './answers.ts';

/**
 * @param args undefined: the method takes none @param deadline on the scale of `performance.now()` @param onWritten as of `exchange`
 * @returns Slack's answer
 * @throws {Error} the client's own, or `DeliveryFailure` for an answer that is not the API's
 */
export type SlackCall = (
  method: string,
  args: object | undefined,
  deadline: number,
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
 * gets no arguments, and of the answer only `ok`; its `fetch` sends the arguments, as JSON made once.
 */
export function slackCalls(remote: Remote, token: string, api: URL): SlackCall {
  const fetch = fetchOver(remote, token);
  /** The call that is being begun. */
  let begun: Underway | undefined;
  const client = new WebClient(token, {
    slackApiUrl: api.href,
    fetch: (address) => fetch(String(address), begun),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    // The pool limits concurrency, and calls that wait for it keep their deadlines. Without a limit, a request is sent before `apiCall` returns.
    maxRequestConcurrency: Infinity,
    logger: silentLogger,
  });
  return (method, args, deadline, onWritten) => {
    const call: Underway = (begun = { json: args ? JSON.stringify(args) : '', deadline, onWritten });
    const answered = client.apiCall(method);
    begun = undefined;
    return answered.then((told) => call.answer ?? told);
  };
}

function fetchOver(remote: Remote, token: string) {
  const hide = secretsHidden([token]);
  const authorization = `Bearer ${token}`;
  const forms = { authorization, ...FORM_HEADERS };
  const jsons = jsonHeaders({ authorization });
  /** The parsed URL of each method, by its address. */
  const urls = new Map<string, URL>();
  return async (address: string, call: Underway | undefined): Promise<FetchResponse> => {
    if (call === undefined) throw new Error("Slack's client sent a request of no call");
    const { json, deadline, onWritten } = call;
    const url = urls.get(address) ?? new URL(address);
    urls.set(address, url);
    const asked = { url, headers: json === '' ? forms : jsons, body: json, mostBytes: Infinity };
    const answer = await remote.call(asked, deadline, onWritten);
    // Given such an answer, the client would throw an unclassified error or take foreign JSON as an answer of the API.
    if (answer.status !== 200 || answer.isCut === true || !/^\s*\{/.test(answer.body))
      throw failureOfAnswer(answer, { hide, ...SLACK, hasNoMessage: json === '' });
    const said = json === '' ? undefined : jsonOf(answer);
    // The client itself reads the token's scopes and makes the errors.
    if (said?.['ok'] !== true) return answeredWith(answer.body, answer.headers[SCOPES]);
    call.answer = said;
    return ACCEPTED;
  };
}

type FetchResponse = Awaited<ReturnType<FetchFunction>>;

const SCOPES = 'x-oauth-scopes';

/** The members of a response that the client reads; a `Response` of Node's costs as much as the rest of the call. */
function answeredWith(body: string, scopes: string | readonly string[] = ''): FetchResponse {
  const read = {
    status: 200,
    url: '',
    headers: { get: (name: string) => (name === SCOPES ? String(scopes) || null : null) },
    text: () => Promise.resolve(body),
  };
  return read as FetchResponse;
}

const ACCEPTED = answeredWith('{"ok":true}');

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
