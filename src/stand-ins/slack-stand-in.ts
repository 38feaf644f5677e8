/** A local Slack on loopback: enforces what the real one enforces, keeps what it accepted. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { isJsonObject } from '../text/json-object.ts';
import {
  type CallResult,
  judgeCall,
  type PostedMessage,
  type SlackCall,
  type SlackWorkspace,
} from './slack-methods.ts';

const API_PATH = '/api/';

const IDENTITY = {
  ok: true,
  team: 'Stand-in',
  team_id: 'T0STANDIN',
  user_id: 'U0STANDIN',
  bot_id: 'B0STANDIN',
};

export interface SlackStandInOptions extends SlackWorkspace {
  /** Loopback port; 0 or none: any free one. */
  readonly port?: number;
  /** Answers in its place. @param right takes the call as Slack would: what that answers */
  readonly answer?: (response: ServerResponse, call: SlackCall, right: () => unknown) => void | Promise<void>;
}

export interface SlackStandIn {
  /** For the `api_url` of a Slack channel. */
  readonly apiUrl: string;
  /** In the order of acceptance; may be emptied. */
  readonly messages: PostedMessage[];
  /** Methods called so far, refused calls included. */
  readonly calls: readonly string[];
  /** Drops every connection. */
  close(): Promise<void>;
}

export async function startSlackStandIn({
  port: wanted = 0,
  answer = (response, _call, right) => answerJson(response, right()),
  ...workspace
}: SlackStandInOptions): Promise<SlackStandIn> {
  const [messages, calls] = [[] as PostedMessage[], [] as string[]];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const call = readCall(request, await readText(request));
    calls.push(call.method);
    const ts = `${Math.floor(Date.now() / 1000)}.${String(calls.length).padStart(6, '0')}`;
    await answer(response, call, () => answerOf(messages, ts, call, judgeCall(workspace, call, messages)));
  };
  const server = createServer((request, response) => {
    // A caller that hangs up is none of the stand-in's business.
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { messages, calls, apiUrl: `http://127.0.0.1:${port}${API_PATH}`, close: () => closeServer(server) };
}

export function answerJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

function readCall(request: IncomingMessage, body: string): SlackCall {
  const isJson = request.headers['content-type']?.startsWith('application/json') === true;
  const json = isJson ? parsed(body) : formArguments(body);
  const args = isJsonObject(json) ? json : undefined;
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const token = bearer ?? (typeof args?.['token'] === 'string' ? args['token'] : undefined);
  const path = request.url ?? '';
  return { method: path.startsWith(API_PATH) ? path.slice(API_PATH.length) : path, token, args };
}

/** Slack: Web API, "POST bodies": in a form, structured arguments are JSON. */
function formArguments(body: string): Record<string, unknown> {
  const args: Record<string, unknown> = Object.fromEntries(new URLSearchParams(body));
  if (typeof args['blocks'] === 'string') args['blocks'] = parsed(args['blocks']);
  return args;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/** @param ts of what is posted: unique within a channel, seconds and six digits */
function answerOf(
  messages: PostedMessage[],
  ts: string,
  { args = {} }: SlackCall,
  result: CallResult,
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
    at: Date.now(),
  };
  messages[edited === undefined ? messages.length : messages.indexOf(edited)] = { ...posted, ...said };
  const message = { type: 'message', bot_id: IDENTITY.bot_id, text, blocks, ts: posted.ts };
  return { ok: true, channel: channel.id, ts: posted.ts, message };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
