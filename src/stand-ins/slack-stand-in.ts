/** A Slack API on loopback that keeps the messages it accepts; by default it accepts all. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { isJsonObject, valueIn } from '../text/json.ts';

const API_PATH = '/api/';

/** Longer than Botbell keeps an idle connection, so that none ends while it is used. */
const KEPT_MS = 65_000;

const IDENTITY = {
  ok: true,
  team: 'Stand-in',
  team_id: 'T0STANDIN',
  user_id: 'U0STANDIN',
  bot_id: 'B0STANDIN',
};

interface SlackStandInOptions {
  readonly judge?: (call: ReceivedCall, messages: readonly PostedMessage[]) => Verdict;
  /** Replaces the answer. @param right processes the call as Slack would and returns its answer */
  readonly answer?: (
    response: ServerResponse,
    call: ReceivedCall,
    right: () => unknown,
  ) => void | Promise<void>;
}

export interface SlackStandIn {
  /** For the `api_url` of a Slack channel. */
  readonly apiUrl: string;
  /** In the order of acceptance. Callers may empty the list. */
  readonly messages: PostedMessage[];
  /** Methods of all calls so far, including refused ones. */
  readonly calls: readonly string[];
  /** Drops every connection. */
  close(): Promise<void>;
}

export async function startSlackStandIn({
  answer = (response, _call, right) => answerJson(response, right()),
  judge = takeAll,
}: SlackStandInOptions = {}): Promise<SlackStandIn> {
  const [messages, calls] = [[] as PostedMessage[], [] as string[]];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const call = readCall(request, await readText(request));
    calls.push(call.method);
    const ts = `${Math.floor(Date.now() / 1000)}.${String(calls.length).padStart(6, '0')}`;
    await answer(response, call, () => answerOf(messages, ts, call, judge(call, messages)));
  };
  const server = createServer({ keepAliveTimeout: KEPT_MS }, (request, response) => {
    // `handle` rejects when the caller hangs up.
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  };
  return { messages, calls, apiUrl: `http://127.0.0.1:${port}${API_PATH}`, close };
}

export function answerJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

function readCall({ url: path = '', headers }: IncomingMessage, body: string): ReceivedCall {
  return {
    method: path.startsWith(API_PATH) ? path.slice(API_PATH.length) : path,
    token: /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1],
    args: body === '' ? {} : parsed(body),
  };
}

function parsed(json: string): SlackArguments | undefined {
  const value = valueIn(json);
  return isJsonObject(value) ? value : undefined;
}

/** @param ts the new message's timestamp, seconds and six digits; unique within a channel */
function answerOf(
  messages: PostedMessage[],
  ts: string,
  { args = {} }: ReceivedCall,
  result: Verdict,
): unknown {
  if (!result.ok) return result;
  const { channel, edited } = result;
  if (channel === undefined) return IDENTITY;
  const { text, blocks, thread_ts: threadTs } = args;
  const said = {
    text: typeof text === 'string' ? text : '',
    blocks: Array.isArray(blocks) ? blocks : undefined,
    args,
  };
  const posted = edited ?? {
    channel: String(args['channel']),
    channelId: channel.id,
    ts,
    threadTs: typeof threadTs === 'string' ? threadTs : undefined,
  };
  messages[edited === undefined ? messages.length : messages.indexOf(edited)] = { ...posted, ...said };
  const message = { type: 'message', bot_id: IDENTITY.bot_id, text, blocks, ts: posted.ts };
  return { ok: true, channel: channel.id, ts: posted.ts, message };
}

/** An accepted message in its latest version. */
export interface PostedMessage {
  /** The `channel` argument as the caller gave it. */
  readonly channel: string;
  readonly channelId: string;
  readonly text: string;
  readonly blocks: readonly unknown[] | undefined;
  readonly ts: string;
  /** `ts` of the message that it replies to. */
  readonly threadTs: string | undefined;
  readonly args: SlackArguments;
}

export interface ReceivedCall {
  readonly method: string;
  readonly token: string | undefined;
  /** Undefined: the body is no JSON object. */
  readonly args: SlackArguments | undefined;
}

export type SlackArguments = Readonly<Record<string, unknown>>;

/** The channel to post to and the message to edit, if any, or Slack's error. */
export type Verdict =
  | {
      readonly ok: true;
      readonly channel?: { readonly id: string };
      readonly edited?: PostedMessage | undefined;
    }
  | { readonly ok: false; readonly error: string };

function takeAll({ method, args = {} }: ReceivedCall, messages: readonly PostedMessage[]): Verdict {
  if (method === 'auth.test') return { ok: true };
  const edited = messages.find(({ ts }) => method === 'chat.update' && ts === args['ts']);
  return { ok: true, channel: { id: 'C0STANDIN' }, edited };
}
