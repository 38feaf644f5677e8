/** The Incoming Webhook app of LINE WORKS: a title, a text and a button. */
import { cutEnd } from '../../text/cut.ts';
import type { Card } from '../card.ts';
import { chatButton, chatCard, chatText } from '../hooks/chat-html.ts';
import { shownBy } from '../html-text.ts';
import { type HookChat } from '../hooks/hook-channel.ts';
import { showCard } from '../show-card.ts';
import { textIn, withoutMentions } from './compose.ts';

export interface LineworksHookMessage {
  readonly title: string;
  readonly body: { readonly text: string };
  readonly button?: { readonly label: string; readonly url: string };
}

/** Only users of the app can see its limits, so these are far below the limits of a bot's messages. */
const MAX = { title: 100, text: 1000, label: 20 } as const;

function compose(card: Card): LineworksHookMessage {
  const { title, link } = showCard(card, 0);
  const label = cutEnd(withoutMentions(link?.text ?? ''), MAX.label, '…') || '…';
  return {
    title: cutEnd(withoutMentions(title), MAX.title, '…'),
    body: { text: textIn(card, MAX.text, ['text', 'message', 'outputs', 'facts']) || '–' },
    ...(link !== undefined && { button: { label, url: link.url } }),
  };
}

function asHtml({ title, body, button }: LineworksHookMessage): string {
  const link = button === undefined ? '' : `<br>${chatButton(button.label, button.url)}`;
  return chatCard({ title: chatText(title), body: chatText(body.text) + link });
}

const HOST = /\.worksmobile\.com$/;

export const lineworksHooks: HookChat<LineworksHookMessage> = {
  type: 'lineworks',
  title: { en: 'LINE WORKS', ja: 'LINE WORKS' },
  paceMs: 1000,
  format: {
    name: 'lineworks_hook',
    compose,
    ...shownBy(asHtml),
  },
  options: {},
  meanings: {},
  // The published limits apply to a tenant.
  limits: 'channel',
  warningOf: ({ hostname, pathname }) =>
    HOST.test(hostname) && !/^\/message\/[\w-]{8,}$/.test(pathname)
      ? 'this is not the whole URL of a webhook of the app, in which a key follows "message"'
      : undefined,
  receiptOf: ({ status }) => (status === 200 || status === 201 ? { answered: String(status) } : undefined),
  // The app has no plainer message than a title and a text.
  plainOf: ({ button, ...rest }) => (button === undefined ? undefined : rest),
};
