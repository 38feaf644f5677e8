/** Google Chat by the URL of a space's webhook: one card per message. */
import { hash } from 'node:crypto';
import { isJsonObject } from '../../text/json-object.ts';
import type { HttpAnswer } from '../../outbound/exchange.ts';
import { hookChannel, jsonCall } from '../hooks/hook-channel.ts';
import { codeAt, GONE, jsonOf } from '../answers.ts';
import { googleChatFormat, googleChatMentions, type GoogleChatMessage, plainGoogleChat } from './compose.ts';

/** Google publishes one message per second and space, for all apps together, but no time to wait ("Usage limits"). */
const WAIT_SECONDS = 5;

export const googleChatChannel = hookChannel<GoogleChatMessage>({
  type: 'google_chat',
  title: { en: 'Google Chat', ja: 'Google Chat' },
  paceMs: 1000,
  format: googleChatFormat,
  options: { mention_on_error: googleChatMentions },
  meanings: { API_KEY_INVALID: GONE },
  codeOf,
  waitOf: () => WAIT_SECONDS,
  warningOf: ({ searchParams }) =>
    searchParams.get('key') && searchParams.get('token')
      ? undefined
      : 'the URL lacks "key" or "token": copy the whole URL of the webhook',
  perJob: ['thread'],
  // Replies are shown in their thread alone, so a loud one is a message of its own.
  callOf: (url, { message, perJob, jobId }) =>
    perJob === undefined || jobId === undefined || (perJob.isLoud && perJob.root !== undefined)
      ? jsonCall(url, message)
      : jsonCall(threadedAt(url), { ...message, thread: { threadKey: hash('sha256', jobId, 'hex') } }),
  receiptOf: ({ status, ...answer }) => {
    const { name } = jsonOf(answer);
    return status === 200 && typeof name === 'string' ? { name } : undefined;
  },
  plainOf: plainGoogleChat,
});

/** Without this option, Chat ignores `threadKey` and opens a new thread. With it, Chat opens one only if there is none. */
function threadedAt(hook: URL): URL {
  const url = new URL(hook);
  url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
  return url;
}

/** The `reason` in the details of `error`, or else its `status` (developers.google.com/workspace/chat/api, "Errors"). */
function codeOf(answer: HttpAnswer): string | undefined {
  const { error } = jsonOf(answer);
  if (!isJsonObject(error)) return undefined;
  const details: readonly unknown[] = Array.isArray(error['details']) ? error['details'] : [];
  const reasons = details.map((detail) => (isJsonObject(detail) ? codeAt(detail, 'reason') : undefined));
  return reasons.find((reason) => reason !== undefined) ?? codeAt(error, 'status');
}
