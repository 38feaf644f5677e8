/** A Slack API on loopback that enforces Slack's rules and keeps the messages it accepts. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { judgeBlocks, textLength } from '../channels/slack/block-kit.ts';
import type { BlockFlaw } from '../channels/slack/block-rules.ts';
import { isJsonObject } from '../text/json-object.ts';

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

export interface SlackStandInOptions extends SlackWorkspace {
  /** Loopback port; default any free one. */
  readonly port?: number;
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
  const server = createServer({ keepAliveTimeout: KEPT_MS }, (request, response) => {
    // `handle` rejects when the caller hangs up.
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(wanted, '127.0.0.1');
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
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param ts the new message's timestamp, seconds and six digits; unique within a channel */
function answerOf(
  messages: PostedMessage[],
  ts: string,
  { args = {} }: ReceivedCall,
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

/** Characters (Slack: chat.postMessage, "text"). Slack cuts or refuses longer ones. */
const MAX_TEXT = 40_000;

/** Bytes of UTF-8 (Slack: chat.update, "text"). */
const MAX_BYTES_OF_UPDATE = 4000;

/** bolt-js 2509: 12,000 characters of text "with a buffer for block containers"; refusals were seen from about 13,200 on. */
const MAX_TOTAL_TEXT = 13_000;

interface StandInChannel {
  /** With `#`. Direct messages have none. */
  readonly name?: string;
  readonly id: string;
  readonly isArchived?: boolean;
  /** Whether the app was invited. Default true. */
  readonly isMember?: boolean;
}

interface SlackWorkspace {
  readonly tokens: readonly string[];
  readonly channels: readonly StandInChannel[];
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
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly args: SlackArguments;
}

export interface ReceivedCall {
  readonly method: string;
  readonly token: string | undefined;
  /** Undefined: the body is no JSON object. */
  readonly args: SlackArguments | undefined;
}

type SlackArguments = Readonly<Record<string, unknown>>;

/** The channel to post to and the message to edit, if any, or Slack's error. */
type CallResult =
  | { readonly ok: true; readonly channel?: StandInChannel; readonly edited?: PostedMessage | undefined }
  | ReturnType<typeof refusal>;

export function judgeCall(
  workspace: SlackWorkspace,
  call: ReceivedCall,
  messages: readonly PostedMessage[] = [],
): CallResult {
  const { method, token, args } = call;
  if (args === undefined) return refusal('invalid_json');
  const refusedLogin = refusalOfLogin(token, workspace);
  if (refusedLogin !== undefined) return refusedLogin;
  if (method === 'auth.test') return { ok: true };
  const isEdit = method === 'chat.update';
  if (!isEdit && method !== 'chat.postMessage') return refusal('unknown_method');
  const channel = workspace.channels.find(({ id, name }) =>
    // chat.update accepts only the ID.
    (isEdit ? [id] : [id, name]).includes(String(args['channel'])),
  );
  if (channel === undefined) return refusal('channel_not_found');
  const here = messages.filter(({ channelId }) => channelId === channel.id);
  const edited = here.find(({ ts }) => isEdit && ts === args['ts']);
  const refused = isEdit ? refusalOfEdit(args, edited) : refusalOfPost(args, channel, here);
  return refused ?? refusalOfText(args) ?? refusalOfBlocks(args['blocks']) ?? { ok: true, channel, edited };
}

function refusalOfLogin(token: string | undefined, { tokens }: SlackWorkspace): CallResult | undefined {
  if (token === undefined) return refusal('not_authed');
  return tokens.includes(token) ? undefined : refusal('invalid_auth');
}

function refusalOfPost(
  { thread_ts: threadTs, reply_broadcast: isBroadcast }: SlackArguments,
  { isArchived = false, isMember = true }: StandInChannel,
  here: readonly PostedMessage[],
): CallResult | undefined {
  if (isArchived) return refusal('is_archived');
  if (!isMember) return refusal('not_in_channel');
  if (threadTs === undefined) return isBroadcast === undefined ? undefined : refusal('invalid_arguments');
  // A reply cannot start a thread.
  const isRoot = here.some((message) => message.ts === threadTs && message.threadTs === undefined);
  return isRoot ? undefined : refusal('thread_not_found');
}

function refusalOfEdit({ text }: SlackArguments, edited?: PostedMessage): CallResult | undefined {
  if (edited === undefined) return refusal('message_not_found');
  return Buffer.byteLength(String(text)) > MAX_BYTES_OF_UPDATE ? refusal('msg_too_long') : undefined;
}

function refusalOfText({ text, blocks }: SlackArguments): CallResult | undefined {
  if (text === undefined || text === '') return blocks === undefined ? refusal('no_text') : undefined;
  if (typeof text !== 'string')
    return refusal('invalid_arguments', [{ message: 'must be a string', path: ['text'] }]);
  if (text.trim() === '' && blocks === undefined) return refusal('no_text');
  if (text.length > MAX_TEXT) return refusal('msg_too_long');
  return /\p{Surrogate}/u.test(text) ? refusal('invalid_arguments') : undefined;
}

function refusalOfBlocks(blocks: unknown): CallResult | undefined {
  if (blocks === undefined) return undefined;
  if (!Array.isArray(blocks)) return refusal('invalid_blocks_format');
  const { flaws } = judgeBlocks(blocks);
  if (flaws.length > 0) return refusal('invalid_blocks', flaws);
  return textLength(blocks) > MAX_TOTAL_TEXT ? refusal('msg_blocks_too_long') : undefined;
}

function refusal(error: string, flaws: readonly Pick<BlockFlaw, 'path' | 'message'>[] = []) {
  if (flaws.length === 0) return { ok: false as const, error };
  const errors = flaws.map(({ message, path }) => `${message} [json-pointer:/${path.join('/')}]`);
  return {
    ok: false as const,
    error,
    errors,
    response_metadata: { messages: errors.map((each) => `[ERROR] ${each}`) },
  };
}
