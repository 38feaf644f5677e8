/** A chat more, as it would stand in `src/channels`: Rocket.Chat by the URL of an incoming webhook. */
import { jsonOf, means } from '../../../src/channels/answers.ts';
import { chat } from '../../../src/channels/chat/chat.ts';
import { drawnFormat, jsonBytes } from '../../../src/channels/chat/draw.ts';
import { hooks } from '../../../src/channels/chat/hooks.ts';
import { markdownWith } from '../../../src/channels/chat/markdown.ts';
import { mentionsOf } from '../../../src/channels/mention-option.ts';
import { TONE_COLOURS } from '../../../src/channels/preview.ts';

export interface RocketMessage {
  readonly text: string;
  readonly attachments?: readonly { readonly title: string; readonly text: string; readonly color: string }[];
}

const MENTIONS = mentionsOf(
  ['@all, @here or @ and a user name', '@all、@here、「@ユーザー名」のどれか'],
  /^@[\w.-]{1,64}$/,
);

export const rocketChat = chat({
  type: 'rocket_chat',
  title: { en: 'Rocket.Chat', ja: 'Rocket.Chat' },
  about: {
    name: 'Rocket.Chat',
    en: { from: 'an incoming webhook integration', mentions: '`@all`, `@here`, `@name`' },
    ja: { from: '着信Webhook', mentions: '`@all`、`@here`、`@name`' },
  },
  pace: { addressMs: 1000, channelMs: 0 },
  calls: 10,
  format: drawnFormat<RocketMessage>({
    name: 'rocket_chat',
    mentions: MENTIONS,
    markup: {
      ...markdownWith(
        /[\\*_~`|>#[\]()<:@]/g,
        (text) => `\`\`\`\n${text.replace(/`(?=`)/g, '`\u200b')}\n\`\`\``,
      ),
      bold: (text) => `*${text}*`,
    },
    parts: ['text', 'message', 'outputs', 'link', 'facts'],
    limit: { most: 20_000, of: jsonBytes },
    message: ({ mentions, title, text, tone }) => ({
      text: mentions.join(' '),
      attachments: [{ title, text: text(), color: TONE_COLOURS[tone] }],
    }),
    plain: ({ whole }) => ({ text: whole() }),
  }),
  address: hooks<RocketMessage>({
    whole: { is: ({ pathname }) => /\/hooks\/\w+\/\w+$/.test(pathname), like: 'chat.example.com/hooks/…/…' },
  }),
  codeOf: (answer) => (jsonOf(answer)['error'] === 'invalid-channel' ? 'invalid-channel' : undefined),
  meanings: {
    'invalid-channel': means.config(
      'the channel of the integration is gone; choose another one',
      'チャンネルがありません。別のチャンネルを選んでください',
    ),
  },
  receiptOf: (answer) => (jsonOf(answer)['success'] === true ? { answered: 'success' } : undefined),
});
