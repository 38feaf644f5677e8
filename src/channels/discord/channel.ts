/** Discord by the URL of a webhook: one embed. Mentions take effect only in `content`, which has no text of the callback. */
import { fitEscaped } from '../../text/cut.ts';
import { CLOSED, GONE, HOURLY, jsonOf, means, TRY_LATER } from '../answers.ts';
import { chat } from '../chat/chat.ts';
import { type Drawn, drawnFormat } from '../chat/draw.ts';
import { hooks } from '../chat/hooks.ts';
import { markdownWith } from '../chat/markdown.ts';
import { jsonCall } from '../chat/remote.ts';
import type { Markup } from '../lines.ts';
import { mentionsOf } from '../mention-option.ts';
import { TONE_COLOURS } from '../preview.ts';

interface DiscordMessage {
  readonly content?: string;
  readonly embeds?: readonly [{ readonly title: string; readonly description?: string }];
  /** Never left out: without it, Discord takes mentions from any text. */
  readonly allowed_mentions: ReturnType<typeof allowed>;
}

/** discord.com/developers/docs/resources/message, "Embed limits". */
const MAX = { title: 256, description: 4096, content: 2000, url: 2048 } as const;

/** Discord ends a block of code at the first three backticks, wherever they stand. */
const MARKDOWN = markdownWith(
  /[\\*_~`|>#\-[\]()<:@+]/g,
  (text) => `\`\`\`\n${text.replace(/`(?=`)/g, '`\u200b')}\n\`\`\``,
);

/** What takes effect in the words of a link, where a backslash is no escape and is shown (discord/discord-api-docs#6185). */
const ACTS = /\*.*\*|_.*_|~~.*~~|\|\||`|:\w+:/;
/** Discord does not draw a link with one of these in its words, even in code. */
const NO_WORDS = /[[\]<\n]|:\/\/|@(?:everyone|here|clyde)|discord(?:app)?\.\w/i;

/** @param words in code, or with backslashes */
function linkOf(words: string, url: string): string {
  const plain = words.startsWith('`') ? words.slice(1, -1) : words.replace(/\\(.)/g, '$1');
  const shown = ACTS.test(plain) ? MARKDOWN.inlineCode?.(plain) : plain;
  return shown === undefined || NO_WORDS.test(shown) ? `${words} <${url}>` : MARKDOWN.link(shown, url);
}

const MARKUP: Markup = { ...MARKDOWN, link: linkOf, address: (address) => `<${address}>` };

/** Plain text goes into `content`, where a mention that the destination allows takes effect, even behind a backslash. */
const PLAIN_MARKUP: Markup = {
  ...MARKUP,
  text: (text) => MARKUP.text(text).replace(/@(?=everyone|here)/g, '@\u200b'),
};

const MENTIONS = mentionsOf(
  [
    'everyone, here, <@&ID> of a role or <@ID> of a person',
    'everyone、here、ロールの <@&ID>、人の <@ID> のどれか',
  ],
  /^(?:@?everyone|@?here|<@&?\d{5,25}>)$/,
  (entry) => entry.replace(/^@?(?=everyone|here)/, '@'),
);

/** `everyone` allows `@here`, too. */
function allowed(mentions: readonly string[]) {
  const idsOf = (kind: RegExp) => mentions.flatMap((one) => kind.exec(one)?.slice(1) ?? []);
  return {
    parse: mentions.some((one) => /^@(?:everyone|here)$/.test(one)) ? ['everyone'] : [],
    roles: idsOf(/^<@&(\d+)>$/),
    users: idsOf(/^<@(\d+)>$/),
  };
}

function messageOf({ title, link, text, tone, mentions }: Drawn): DiscordMessage {
  const description = text();
  const embed = {
    title: fitEscaped(title, MAX.title, MARKUP.text, () => ' … '),
    ...(link !== undefined && link.url.length <= MAX.url && { url: link.url }),
    ...(description !== '' && { description }),
    color: Number.parseInt(TONE_COLOURS[tone].slice(1), 16),
  };
  return {
    ...(mentions.length > 0 && { content: mentions.join(' ') }),
    embeds: [embed],
    allowed_mentions: allowed(mentions),
  };
}

/** "10,000 invalid requests in 10 minutes" ban an IP address (discord.com/developers, "Rate limits"): retry gone hooks hourly. */
const REMOVED = { ...GONE, ...HOURLY };
const THREAD = means.config(
  'there is no such thread, or the channel is a forum, whose messages need one; write the address as name/THREAD_ID, and check the ID',
  'スレッドが見つからないか、スレッドの指定が必要なフォーラムチャンネルです。宛先を「名前/スレッドID」の形で書き、IDを確認してください',
  HOURLY,
);

export const discordChannel = chat({
  type: 'discord',
  title: { en: 'Discord', ja: 'Discord' },
  about: {
    name: 'Discord',
    en: {
      from: 'a webhook of the channel',
      address: "the hook's name, or `name/THREAD_ID`",
      mentions: '`everyone`, `here`, `<@&ID>`, `<@ID>`',
    },
    ja: {
      from: 'チャンネルのウェブフック',
      address: 'フックの名前、または `name/THREAD_ID`',
      mentions: '`everyone`、`here`、`<@&ID>`、`<@ID>`',
    },
  },
  /** A limit of five in two seconds was seen; Discord says not to rely on fixed numbers, so 429 decides. */
  pace: { addressMs: 500, channelMs: 0 },
  format: drawnFormat<DiscordMessage>({
    name: 'discord',
    mentions: MENTIONS,
    markup: MARKUP,
    plainMarkup: PLAIN_MARKUP,
    parts: ['text', 'message', 'outputs', 'facts'],
    opensTitle: true,
    limit: {
      most: MAX.description,
      of: ({ embeds, content = '' }) =>
        embeds?.[0].description?.length ?? (MAX.description / MAX.content) * content.length,
    },
    message: messageOf,
    plain: ({ mentions, whole }) => ({ content: whole(), allowed_mentions: allowed(mentions) }),
  }),
  address: hooks<DiscordMessage>({
    suffix: /^\d{5,25}$/,
    whole: {
      is: ({ pathname }) => /^\/api\/(?:v\d+\/)?webhooks\/\d{17,20}\/[\w-]{60,}$/.test(pathname),
      like: 'discord.com/api/webhooks/123456789012345678/…',
      host: /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/,
    },
    request: (url, { address, message }) => jsonCall(waitingAt(url, address.split('/')[1]), message),
    isAsked: true,
  }),
  /** discord.com/developers/docs/topics/opcodes-and-status-codes, "JSON error codes": codes that say more than the status. */
  meanings: {
    404: REMOVED,
    401: REMOVED,
    403: { ...CLOSED, ...HOURLY },
    10003: THREAD,
    220001: THREAD,
    130000: TRY_LATER,
    40333: TRY_LATER,
  },
  codeOf: (answer) => {
    const { code } = jsonOf(answer);
    return typeof code === 'number' && code > 0 ? String(code) : undefined;
  },
  receiptOf: ({ status, ...answer }) => {
    const { id } = jsonOf(answer);
    return status === 200 && typeof id === 'string' ? { message_id: id } : undefined;
  },
});

/** Without `wait`, Discord answers before it has stored the message. */
function waitingAt(hook: URL, thread: string | undefined): URL {
  const url = new URL(hook);
  url.searchParams.set('wait', 'true');
  if (thread !== undefined) url.searchParams.set('thread_id', thread);
  return url;
}
