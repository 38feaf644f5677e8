/** Google Chat by the URL of a space's webhook: one card (developers.google.com/workspace/chat/api/reference/rest/v1/cards). */
import { escapeHtml } from '../../text/clean.ts';
import { isJsonObject } from '../../text/json.ts';
import type { HttpAnswer } from '../../outbound/exchange.ts';
import { codeAt, GONE, jsonOf } from '../answers.ts';
import type { Tone } from '../card.ts';
import { jobKeyOf, type Outgoing, type Receipt } from '../channel.ts';
import { chat } from '../chat/chat.ts';
import { type Drawn, drawnFormat, jsonBytes } from '../chat/draw.ts';
import { hooks } from '../chat/hooks.ts';
import { percentEncoded } from '../chat/markdown.ts';
import { jsonCall } from '../chat/remote.ts';
import { type Markup, markedUp, runsOfText, unmarked, withBlanks } from '../lines.ts';
import { mentionsOf } from '../mention-option.ts';
import { TONE_COLOURS } from '../preview.ts';

interface GoogleChatMessage {
  /** In Chat's own markup, in which mentions take effect. */
  readonly text?: string;
  /** The text of push notifications. */
  readonly fallbackText?: string;
  readonly cardsV2?: readonly ReturnType<typeof cardOf>[];
}

/** A message takes 32,000 bytes, everything included ("Create a message"). */
const MAX_BYTES = 28_000;

/** Characters of `text`; some 4,096 were seen to be the most. */
const MAX_TEXT = 3800;

/** Google publishes one message per second and space, for all apps together, but no time to wait ("Usage limits"). */
const WAIT_SECONDS = 5;

const htmlOf = (text: string) => escapeHtml(withBlanks(text));

function markupOf(tone: Tone): Markup {
  const markup: Markup = {
    text: htmlOf,
    bold: (html) => `<b>${html}</b>`,
    code: (text) =>
      `<font color="${TONE_COLOURS[tone]}">${markedUp([{ runs: runsOfText(text) }], markup)}</font>`,
    link: (html, url) => `<a href="${escapeHtml(url)}">${html || escapeHtml(url)}</a>`,
    between: ' · ',
  };
  return markup;
}

/** The text of a message has no escape, so similar characters replace those of its markup. */
const disguised = (text: string) =>
  text.replace(/[<>*_~`]/g, (sign) => '‹›＊＿～ˋ'.charAt('<>*_~`'.indexOf(sign)));

const encoded = (address: string) => address.replace(/[*_~`]/g, percentEncoded);

/** It is not documented whether headers and buttons support markup, so they get no text that looks like tags. */
const withoutTags = (text: string) => text.replaceAll('<', '‹').replaceAll('>', '›').trim() || '–';

const MENTION = /^(?:<?users\/([\w.@-]{1,100})>?|(all))$/;
const MENTIONS = mentionsOf(['all or users/ID', 'all か「users/ID」'], MENTION, (entry) => {
  const [, user, all] = MENTION.exec(entry) ?? [];
  return `<users/${user ?? all ?? ''}>`;
});

function cardOf({ title, summary, text, link }: Drawn) {
  // Google Chat refuses an empty paragraph.
  const paragraph = { textParagraph: { text: text().replaceAll('\n', '<br>') || escapeHtml(summary) } };
  const button = link && { text: withoutTags(link.text), onClick: { openLink: { url: link.url } } };
  const widgets = [paragraph, ...(button === undefined ? [] : [{ buttonList: { buttons: [button] } }])];
  return { cardId: 'botbell', card: { header: { title: withoutTags(title) }, sections: [{ widgets }] } };
}

export const googleChatChannel = chat({
  type: 'google_chat',
  title: { en: 'Google Chat', ja: 'Google Chat' },
  about: {
    name: 'Google Chat',
    en: { from: 'a webhook of the space', mentions: '`all`, `users/ID`' },
    ja: { from: 'スペースのWebhook', mentions: '`all`、`users/ID`' },
  },
  pace: { addressMs: 1000, channelMs: 0 },
  perJob: ['thread'],
  format: drawnFormat<GoogleChatMessage>({
    name: 'google_chat',
    mentions: MENTIONS,
    markup: markupOf,
    plainMarkup: unmarked(disguised, encoded),
    parts: ['text', 'message', 'outputs', 'facts'],
    limit: {
      most: MAX_BYTES,
      of: (message) =>
        message.cardsV2 === undefined
          ? ((message.text?.length ?? 0) * MAX_BYTES) / MAX_TEXT
          : jsonBytes(message),
    },
    message: (drawn) => ({
      ...(drawn.mentions.length > 0 && { text: drawn.mentions.join(' ') }),
      fallbackText: drawn.summary,
      cardsV2: [cardOf(drawn)],
    }),
    plain: ({ whole }) => ({ text: whole() }),
  }),
  address: hooks<GoogleChatMessage>({
    whole: {
      is: ({ searchParams: has }) => Boolean(has.get('key') && has.get('token')),
      like: 'chat.googleapis.com/v1/spaces/…/messages?key=…&token=…',
    },
    request: (url, outgoing) => {
      const thread = threadOf(outgoing);
      const asked = askedAt(url, outgoing.idempotencyKey(), thread !== undefined);
      return jsonCall(asked, thread === undefined ? outgoing.message : { ...outgoing.message, thread });
    },
  }),
  meanings: { API_KEY_INVALID: GONE },
  codeOf,
  waitOf: () => WAIT_SECONDS,
  receiptOf: ({ status, ...answer }): Receipt | undefined => {
    const { name, thread } = jsonOf(answer);
    if (status !== 200 || typeof name !== 'string') return undefined;
    const opened = isJsonObject(thread) && thread['name'];
    return typeof opened === 'string' ? { name, thread: opened } : { name };
  },
});

/** Chat shows replies only in their thread, so a loud reply about a job is posted as a message of its own. */
function threadOf(outgoing: Partial<Outgoing>): object | undefined {
  const { perJob } = outgoing;
  const { root, isLoud } = perJob ?? {};
  const threadKey = jobKeyOf(outgoing);
  if (threadKey === undefined) return root?.['thread'] === undefined ? undefined : { name: root['thread'] };
  if (perJob === undefined || (isLoud === true && root !== undefined)) return undefined;
  return { threadKey };
}

/**
 * `requestId`: Chat answers a repeated one with the message that it has made, and makes no other (spaces.messages.create).
 * `messageReplyOption`: without it, Chat ignores `threadKey` and opens a new thread; with it, it opens one only if there is none.
 */
function askedAt(hook: URL, key: string, isThreaded: boolean): URL {
  const url = new URL(hook);
  url.searchParams.set('requestId', key.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
  if (isThreaded) url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
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
