/** The two Web API methods of the local Slack, as strict as the real one: a call in, its answer out. */
import { flawsOfBlocks, textLength } from '../channels/slack/block-kit.ts';
import type { BlockFlaw } from '../channels/slack/block-rules.ts';

/** Slack: chat.postMessage, "text": longer ones are cut or refused. */
const MAX_TEXT = 40_000;

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

export interface SlackCall {
  readonly method: string;
  readonly token: string | undefined;
  /** The arguments with `blocks` parsed, whatever way they arrived; undefined: the body is no JSON object. */
  readonly args: SlackArguments | undefined;
}

export type SlackArguments = Readonly<Record<string, unknown>>;

/** A message that may be posted, or why not. */
export type CallResult =
  { readonly ok: true; readonly channel?: StandInChannel } | ReturnType<typeof refusal>;

export function judgeCall(workspace: SlackWorkspace, call: SlackCall): CallResult {
  if (call.args === undefined) return refusal('invalid_json');
  if (call.token === undefined) return refusal('not_authed');
  if (!workspace.tokens.includes(call.token)) return refusal('invalid_auth');
  if (call.method === 'auth.test') return { ok: true };
  if (call.method === 'chat.postMessage') return judgeMessage(workspace, call.args);
  return refusal('unknown_method');
}

function judgeMessage(workspace: SlackWorkspace, args: SlackArguments): CallResult {
  const channel = workspace.channels.find(({ id, name = id }) =>
    [id, name].includes(String(args['channel'])),
  );
  if (channel === undefined) return refusal('channel_not_found');
  if (channel.isArchived === true) return refusal('is_archived');
  if (channel.isMember === false) return refusal('not_in_channel');
  return refusalOfText(args) ?? refusalOfMessageBlocks(args['blocks']) ?? { ok: true, channel };
}

function refusalOfText({ text, blocks }: SlackArguments): CallResult | undefined {
  if (text === undefined || text === '') return blocks === undefined ? refusal('no_text') : undefined;
  if (typeof text !== 'string')
    return refusal('invalid_arguments', [{ message: 'must be a string', path: ['text'] }]);
  if (text.trim() === '' && blocks === undefined) return refusal('no_text');
  if (text.length > MAX_TEXT) return refusal('msg_too_long');
  return /\p{Surrogate}/u.test(text) ? refusal('invalid_arguments') : undefined;
}

function refusalOfMessageBlocks(blocks: unknown): CallResult | undefined {
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
