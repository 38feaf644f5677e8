/** The Web API methods of the local Slack, as strict as the real one: a call in, its answer out. */
import { flawsOfBlocks, textLength } from '../channels/slack/block-kit.ts';
import type { BlockFlaw } from '../channels/slack/block-rules.ts';

/** Slack: chat.postMessage, "text": longer ones are cut or refused. */
const MAX_TEXT = 40_000;

/** Slack: chat.update, "text", which counts bytes. */
const MAX_BYTES_OF_UPDATE = 4000;

/** bolt-js 2509: 12,000 characters of text "with a buffer for block containers"; refusals were seen from about 13,200 on. */
const MAX_TOTAL_TEXT = 13_000;

/** A conversation that the local Slack knows. */
export interface StandInChannel {
  /** With its `#`; people have none. */
  readonly name?: string;
  readonly id: string;
  readonly isArchived?: boolean;
  /** Whether the app was invited; true where it is left out. */
  readonly isMember?: boolean;
}

export interface SlackWorkspace {
  readonly tokens: readonly string[];
  readonly channels: readonly StandInChannel[];
}

/** A message that was accepted, as it was edited last. */
export interface PostedMessage {
  /** As the caller addressed it. */
  readonly channel: string;
  readonly channelId: string;
  readonly text: string;
  readonly blocks: readonly unknown[] | undefined;
  readonly ts: string;
  /** Of the message that it replies to. */
  readonly threadTs: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** All arguments of the call. */
  readonly args: SlackArguments;
}

export interface SlackCall {
  readonly method: string;
  readonly token: string | undefined;
  /** The arguments with `blocks` parsed, whatever way they arrived; undefined: the body is no JSON object. */
  readonly args: SlackArguments | undefined;
}

export type SlackArguments = Readonly<Record<string, unknown>>;

/** A message that may be posted, or edited, or why not. */
export type CallResult =
  | { readonly ok: true; readonly channel?: StandInChannel; readonly edited?: PostedMessage }
  | ReturnType<typeof refusal>;

export function judgeCall(
  workspace: SlackWorkspace,
  call: SlackCall,
  messages: readonly PostedMessage[] = [],
): CallResult {
  const { method, token, args } = call;
  if (args === undefined) return refusal('invalid_json');
  if (token === undefined) return refusal('not_authed');
  if (!workspace.tokens.includes(token)) return refusal('invalid_auth');
  if (method === 'auth.test') return { ok: true };
  if (method !== 'chat.postMessage' && method !== 'chat.update') return refusal('unknown_method');
  // An edit takes the ID alone.
  const channel = workspace.channels.find(({ id, name }) =>
    [id, method === 'chat.update' ? undefined : name].includes(String(args['channel'])),
  );
  if (channel === undefined) return refusal('channel_not_found');
  const here = messages.filter(({ channelId }) => channelId === channel.id);
  return method === 'chat.update' ? judgeEdit(args, channel, here) : judgePost(args, channel, here);
}

function judgePost(
  args: SlackArguments,
  channel: StandInChannel,
  here: readonly PostedMessage[],
): CallResult {
  if (channel.isArchived === true) return refusal('is_archived');
  if (channel.isMember === false) return refusal('not_in_channel');
  const { thread_ts: threadTs, reply_broadcast: isBroadcast } = args;
  if (threadTs === undefined && isBroadcast !== undefined) return refusal('invalid_arguments');
  // A reply has no thread of its own.
  const isRoot = here.some((message) => message.ts === threadTs && message.threadTs === undefined);
  if (threadTs !== undefined && !isRoot) return refusal('thread_not_found');
  return refusalOfText(args) ?? refusalOfBlocks(args['blocks']) ?? { ok: true, channel };
}

function judgeEdit(
  args: SlackArguments,
  channel: StandInChannel,
  here: readonly PostedMessage[],
): CallResult {
  const edited = here.find(({ ts }) => ts === args['ts']);
  if (edited === undefined) return refusal('message_not_found');
  if (Buffer.byteLength(String(args['text'])) > MAX_BYTES_OF_UPDATE) return refusal('msg_too_long');
  return refusalOfText(args) ?? refusalOfBlocks(args['blocks']) ?? { ok: true, channel, edited };
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
  const flaws = flawsOfBlocks(blocks);
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
