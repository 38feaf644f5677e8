/** Refuses the calls that Slack refuses, with Slack's error codes. */
import { textLength } from '../../src/channels/slack/own-blocks.ts';
import type { PostedMessage, ReceivedCall } from '../../src/stand-ins/slack-stand-in.ts';
import type { SlackArguments, Verdict } from '../../src/stand-ins/slack-stand-in.ts';
import { type BlockFlaw, flawsOfBlocks } from './block-kit.ts';

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

export interface SlackWorkspace {
  readonly tokens: readonly string[];
  readonly channels: readonly StandInChannel[];
}

export function judgeCall(
  workspace: SlackWorkspace,
  call: ReceivedCall,
  messages: readonly PostedMessage[] = [],
): Verdict {
  const { method, token = '', args = {} } = call;
  if (!workspace.tokens.includes(token)) return refusal('invalid_auth');
  if (method === 'auth.test') return { ok: true };
  const isEdit = method === 'chat.update';
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

function refusalOfPost(
  { thread_ts: threadTs, reply_broadcast: isBroadcast }: SlackArguments,
  { isArchived = false, isMember = true }: StandInChannel,
  here: readonly PostedMessage[],
): Verdict | undefined {
  if (isArchived) return refusal('is_archived');
  if (!isMember) return refusal('not_in_channel');
  if (threadTs === undefined) return isBroadcast === undefined ? undefined : refusal('invalid_arguments');
  // A reply cannot start a thread.
  const isRoot = here.some((message) => message.ts === threadTs && message.threadTs === undefined);
  return isRoot ? undefined : refusal('thread_not_found');
}

function refusalOfEdit({ text }: SlackArguments, edited?: PostedMessage): Verdict | undefined {
  if (edited === undefined) return refusal('message_not_found');
  return Buffer.byteLength(String(text)) > MAX_BYTES_OF_UPDATE ? refusal('msg_too_long') : undefined;
}

/** A message needs a text whatever its blocks show, since phones show the text. */
function refusalOfText({ text }: SlackArguments): Verdict | undefined {
  if (typeof text !== 'string' || text.trim() === '') return refusal('no_text');
  if (text.length > MAX_TEXT) return refusal('msg_too_long');
  return /\p{Surrogate}/u.test(text) ? refusal('invalid_arguments') : undefined;
}

function refusalOfBlocks(blocks: unknown): Verdict | undefined {
  if (blocks === undefined) return undefined;
  if (!Array.isArray(blocks)) return refusal('invalid_blocks_format');
  const flaws = flawsOfBlocks(blocks);
  if (flaws.length > 0) return refusal('invalid_blocks', flaws);
  return textLength(blocks) > MAX_TOTAL_TEXT ? refusal('msg_blocks_too_long') : undefined;
}

function refusal(error: string, flaws: readonly BlockFlaw[] = []) {
  if (flaws.length === 0) return { ok: false as const, error };
  const errors = flaws.map(({ message, path }) => `${message} [json-pointer:/${path}]`);
  const messages = errors.map((each) => `[ERROR] ${each}`);
  return { ok: false as const, error, errors, response_metadata: { messages } };
}
