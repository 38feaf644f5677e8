/** The Incoming Webhook app of LINE WORKS: a title, a text and a button. */
import { cutEnd } from '../../text/cut.ts';
import { GONE } from '../answers.ts';
import type { Chat } from '../chat/chat.ts';
import { type Drawn, drawnFormat } from '../chat/draw.ts';
import { hooks, type HookSettings } from '../chat/hooks.ts';
import { markedUp } from '../lines.ts';
import { MARKUP, TENANT, withoutMentions } from './bot.ts';

export interface LineworksHookMessage {
  readonly title: string;
  readonly body: { readonly text: string };
  readonly button?: { readonly label: string; readonly url: string };
}

/** Only users of the app can see its limits, so these are far below the limits of a bot's messages. */
const MAX = { title: 100, text: 1000, label: 20, url: 2000 } as const;

const cut = (words: string, most: number) => cutEnd(withoutMentions(words), most, '…');

function messageOf({ title = '', text, link }: Partial<Drawn>): LineworksHookMessage {
  const button = link !== undefined &&
    link.url.length <= MAX.url && { label: cut(link.text, MAX.label) || '…', url: link.url };
  return { title, body: { text: text || '–' }, ...(button && { button }) };
}

const HOST = /\.worksmobile\.com$/;

/** In the words of a 400 for a URL that was never given out, or that was taken back. */
const INVALID_URL =
  /(?:webhook|url)\b.{0,40}\b(?:invalid|not (?:found|exist|valid))|invalid.{0,40}\b(?:webhook|url)/is;

export const lineworksHooks: Chat<LineworksHookMessage, HookSettings> = {
  ...TENANT,
  calls: 5,
  format: drawnFormat<LineworksHookMessage>({
    name: 'lineworks_hook',
    markup: MARKUP,
    parts: ['text', 'message', 'outputs', 'facts'],
    titleOf: (title) => cut(title, MAX.title),
    limit: { most: MAX.text, of: ({ body }) => body.text.length },
    message: messageOf,
    plain: ({ title, lines }) => messageOf({ title, text: markedUp(lines.slice(1), MARKUP) }),
  }),
  address: hooks<LineworksHookMessage>({
    warningOf: ({ hostname, pathname }) =>
      HOST.test(hostname) && !/^\/message\/[\w-]{8,}$/.test(pathname)
        ? 'this is not the whole URL of a webhook of the app, in which a key follows "message"'
        : undefined,
  }),
  kindOf: ({ status, body }) => (status === 400 && INVALID_URL.test(body) ? 'invalid_url' : undefined),
  meanings: { invalid_url: GONE },
  receiptOf: ({ status }) => (status === 200 || status === 201 ? { answered: String(status) } : undefined),
};
