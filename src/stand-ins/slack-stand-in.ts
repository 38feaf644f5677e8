/** A local Slack on loopback: enforces what the real one enforces, keeps what it accepted, fails on demand. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { isJsonObject } from '../text/json-object.ts';
import { answerJson, interrupt, isInterruption, resetConnection } from './slack-faults.ts';
import type { SlackFault } from './slack-faults.ts';
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

interface SlackStandInOptions extends SlackWorkspace {
  /** Loopback port; 0 or none: any free one. */
  readonly port?: number;
  /** Asked for each call for which `faults` holds nothing. */
  readonly faultOf?: (call: SlackCall) => SlackFault | undefined;
}

export interface SlackStandIn {
  /** For the `api_url` of a Slack channel. */
  readonly apiUrl: string;
  /** In the order of acceptance; may be emptied. */
  readonly messages: PostedMessage[];
  /** Methods called so far, refused calls included. */
  readonly calls: readonly string[];
  /** Faults of the next calls, first in, first out. */
  readonly faults: SlackFault[];
  /** Drops every connection. */
  close(): Promise<void>;
}

/** What one running stand-in remembers. */
type State = ReturnType<typeof stateOf>;

function stateOf(options: SlackStandInOptions) {
  return {
    options,
    messages: [] as PostedMessage[],
    calls: [] as string[],
    faults: [] as SlackFault[],
  };
}

export async function startSlackStandIn(options: SlackStandInOptions): Promise<SlackStandIn> {
  const state = stateOf(options);
  const server = createServer((request, response) => {
    // A caller that hangs up is none of the stand-in's business.
    handle(state, request, response).catch(() => response.destroy());
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { ...state, apiUrl: `http://127.0.0.1:${port}${API_PATH}`, close: () => closeServer(server) };
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const call = readCall(request, await readText(request));
  state.calls.push(call.method);
  const fault = state.faults.shift() ?? state.options.faultOf?.(call);
  if (isInterruption(fault)) return interrupt(response, fault);
  if (fault?.kind === 'delay') await fault.until();
  const answer = answerOf(state, call, judgeCall(state.options, call, state.messages));
  if (fault?.kind === 'reset_after_accepting') return resetConnection(response);
  if (fault?.kind === 'answer_late') await fault.until();
  return answerJson(response, answer);
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

function answerOf({ messages, calls }: State, { args = {} }: SlackCall, result: CallResult): unknown {
  if (!result.ok) return result;
  const { channel, edited } = result;
  if (channel === undefined) return IDENTITY;
  const { text, blocks, thread_ts: threadTs } = args;
  const said = {
    text: typeof text === 'string' ? text : '',
    blocks: Array.isArray(blocks) ? blocks : undefined,
    args,
  };
  const at = Date.now();
  const posted: PostedMessage = edited ?? {
    ...said,
    channel: String(args['channel']),
    channelId: channel.id,
    // Unique within a channel: seconds, then six digits.
    ts: `${Math.floor(at / 1000)}.${String(calls.length).padStart(6, '0')}`,
    threadTs: typeof threadTs === 'string' ? threadTs : undefined,
    at,
  };
  const index = edited === undefined ? messages.length : messages.indexOf(edited);
  messages[index] = { ...posted, ...said };
  const { ts } = posted;
  return {
    ok: true,
    channel: channel.id,
    ts,
    message: { type: 'message', bot_id: IDENTITY.bot_id, text, blocks, ts },
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
