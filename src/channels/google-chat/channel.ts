/** Google Chat by the URL of a space's webhook: a card. */
import { isJsonObject } from '../../text/json-object.ts';
import type { HttpAnswer } from '../../outbound/post.ts';
import { type HookChat, hookChannel, URL_ALONE } from '../hooks.ts';
import { JSON_HEADERS, jsonOf, type Meaning } from '../remote.ts';
import { composeGoogleChat, googleChatMentions, plainGoogleChat } from './compose.ts';
import type { GoogleChatMessage } from './message.ts';
import { googleChatAsHtml, googleChatAsText } from './preview.ts';

const GONE: Meaning = {
  class: 'config',
  words: {
    en: 'the webhook is not valid, or it or its space was removed; make a new one in the space and put its URL into the config',
    ja: 'Webhookが無効か、Webhookまたはスペースが削除されています。スペースで新しく作成し、そのURLを設定してください',
  },
};

/** developers.google.com/workspace/chat/api, "Errors": the reason, or else the status of `error`. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  API_KEY_INVALID: GONE,
  UNAUTHENTICATED: GONE,
  PERMISSION_DENIED: GONE,
  NOT_FOUND: GONE,
};

/** One message a second a space is published, for all apps together, and no wait ("Usage limits"). */
const WAIT_SECONDS = 5;

const googleChat: HookChat<GoogleChatMessage> = {
  type: 'google_chat',
  title: { en: 'Google Chat', ja: 'Google Chat' },
  pace: { addressMs: 1000, channelMs: 0 },
  format: {
    name: 'google_chat',
    compose: composeGoogleChat,
    asText: googleChatAsText,
    asHtml: googleChatAsHtml,
  },
  options: { mention_on_error: googleChatMentions },
  hook: URL_ALONE,
  meanings: MEANINGS,
  limits: 'address',
  codeOf,
  waitOf: () => WAIT_SECONDS,
  warningOf: ({ searchParams }) =>
    searchParams.has('key') && searchParams.has('token')
      ? undefined
      : 'the URL lacks "key" or "token": copy the whole URL of the webhook',
  callOf: (url, { message }) => ({ url, headers: JSON_HEADERS, body: JSON.stringify(message) }),
  receiptOf: ({ status, ...answer }) => {
    const { name } = jsonOf(answer);
    return status === 200 && typeof name === 'string' ? { name } : undefined;
  },
  plainOf: plainGoogleChat,
};

function codeOf(answer: HttpAnswer): string | undefined {
  const { error } = jsonOf(answer);
  if (!isJsonObject(error)) return undefined;
  const { details, status } = error;
  const reasons = (Array.isArray(details) ? details : []).map((detail: unknown) =>
    isJsonObject(detail) ? detail['reason'] : undefined,
  );
  return [...reasons, status].find(
    (code): code is string => typeof code === 'string' && /^[A-Z_]{1,60}$/.test(code),
  );
}

export const googleChatChannel = hookChannel(googleChat);
