/** A local Slack on loopback: enforces what the real one enforces, keeps what it accepted, fails on demand. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { isJsonObject } from '../text/json-object.ts';
import { answerJson, interrupt, isInterruption, resetConnection } from './slack-faults.ts';
import type { SlackFault } from './slack-faults.ts';
import { type CallResult, judgeCall, type SlackCall, type SlackWorkspace } from './slack-methods.ts';
import type { SlackArguments, StandInChannel } from './slack-methods.ts';

const API_PATH = '/api/';

const IDENTITY = {
  ok: true,
  team: 'Stand-in',
  team_id: 'T0STANDIN',
  user_id: 'U0STANDIN',
  bot_id: 'B0STANDIN',
};

/** A message that was accepted. */
export interface PostedMessage {
  /** As the caller addressed it. */
  readonly channel: string;
  readonly text: string;
  readonly blocks: readonly unknown[] | undefined;
  readonly ts: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** All arguments of the call. */
  readonly args: SlackArguments;
}

interface SlackStandInOptions extends SlackWorkspace {
  /** Loopback port; 0 or none: any free one. */
  readonly port?: number;
  /** Asked for each call for which `faults` holds nothing. */
  readonly faultOf?: (call: SlackCall) => SlackFault | undefined;
}

export interface SlackStandIn {
  /** For the `api_url` of a Slack channel. */
  readonly apiUrl: string;
  /** In the order of acceptance. */
  readonly messages: readonly PostedMessage[];
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
  const answer = answerOf(state, call, judgeCall(state.options, call));
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

function answerOf(state: State, call: SlackCall, result: CallResult): unknown {
  if (!result.ok) return result;
  return result.channel === undefined ? IDENTITY : keep(state, call.args ?? {}, result.channel);
}

function keep(state: State, args: SlackArguments, { id }: StandInChannel): unknown {
  const at = Date.now();
  // Slack's "ts" is unique within a channel: seconds, then six digits.
  const ts = `${Math.floor(at / 1000)}.${String(state.messages.length + 1).padStart(6, '0')}`;
  const { text, blocks } = args;
  state.messages.push({
    channel: String(args['channel']),
    text: typeof text === 'string' ? text : '',
    blocks: Array.isArray(blocks) ? blocks : undefined,
    ts,
    at,
    args,
  });
  const message = { type: 'message', bot_id: IDENTITY.bot_id, text, blocks, ts };
  return { ok: true, channel: id, ts, message };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
