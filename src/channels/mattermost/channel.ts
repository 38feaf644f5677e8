/** Mattermost by the URL of an incoming webhook: one attachment in Markdown, which has tables. */
import { CLOSED, codeAt, GONE, jsonOf } from '../answers.ts';
import { chat } from '../chat/chat.ts';
import { drawnFormat } from '../chat/draw.ts';
import { hooks } from '../chat/hooks.ts';
import { markdownWith } from '../chat/markdown.ts';
import type { Markup } from '../lines.ts';
import { mentionsOf } from '../mention-option.ts';
import { TONE_COLOURS } from '../preview.ts';

interface MattermostMessage {
  /** The mentions; the whole message if there is no attachment. */
  readonly text?: string;
  /** `fallback` is the text of push notifications, which phones show as it is. */
  readonly attachments?: readonly [
    { readonly fallback: string; readonly color: string; readonly text: string },
  ];
}

/** A post takes 16,383 characters (Mattermost, "Incoming webhooks"); longer texts are split, but attachments are not. */
const MAX_CHARACTERS = 12_000;

/** The signs that are markup anywhere, or at the beginning of a line. A backslash before a letter or digit is shown as it is. */
const MARKDOWN = markdownWith(/\\(?![\p{L}\p{N}])|[`*_[\]~|]|!(?![^])|#(?=\s)|[#+\->](?<=^\s*.)/gmu, fenced);

/** Even in code, incoming webhooks translate Slack's `<!channel>`, `<@user>` and, on one line, `<url|label>`. */
const CALLS = /<(?=[!@#])/g;

/** Replaces every `<` that could begin a link: of several before a bar, each one would once the last is replaced. */
function withoutSlack(text: string): string {
  const parts = text.replace(CALLS, '‹').split('|');
  return parts.map((part, index) => (index === parts.length - 1 ? part : withoutLink(part))).join('|');
}

/** @param before the text before a bar */
function withoutLink(before: string): string {
  const begin = Math.max(before.lastIndexOf('>'), before.lastIndexOf('\n')) + 1;
  return before.slice(0, begin) + before.slice(begin).replace(/<(?!$)/g, '‹');
}

/** What Mattermost draws as faces; each match ends at the character after which a word joiner prevents that. */
const EMOTICON = String.raw`:(?=-?@|-?\\?[|[\]]|(?:['’]?-?\(|-?[)/$dops]|-x)(?!\w)|-?(?![^]))|;(?=-?\)(?!\w))|x(?=-d(?!\w))`;

/**
 * A word joiner stops what no backslash stops: mentions of people and channels, hashtags, emoji, entities, the line below a heading or a
 * table's names, indented code.
 */
const DRAWING = new RegExp(
  [
    String.raw`(?<![^\W_])@(?=\w)|(?<![^\W_]\\?)[#~](?=[\p{L}\d])`,
    String.raw`(?<!\w)(?::(?=[\w+-]+:)|${EMOTICON})`,
    String.raw`&(?=#?\w+;)`,
    String.raw`(?:=(?=[=-]|[ \t]*$)|:(?=-))(?<=^\s*.)`,
    String.raw`^(?=[ \xa0]{4}|[ \xa0]*\t)(?<!\S[^\S\n]*\n)`,
  ].join('|'),
  'gimu',
);

const broken = (text: string) => text.replace(DRAWING, '$&\u2060');

/** What begins an address outside a link. */
const ADDRESS = /(?:https?|ftp|mailto|tel):|www\d{0,3}(?=\.)|[\p{L}\d]\.\p{L}{2,4}(?=\/)/giu;
/** In an address, what was changed would be shown and lead elsewhere; one at the end takes a link behind it along. */
const CHANGED = /[\\\u2060‹]|&#36;/;

function withoutAddresses(text: string): string {
  return text.replace(/\S+/g, (word, at: number) =>
    CHANGED.test(word) || at + word.length === text.length ? word.replace(ADDRESS, '$&\u2060') : word,
  );
}

/** A dollar sign that could end a formula, or that a backslash would escape in the apps for phones only. */
const DOLLAR = /\$(?!\w)|(?<=\\)\$/g;

/** A block of code ends at a line that begins with as many backticks. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

const MARKUP: Markup = {
  ...MARKDOWN,
  text: (text) => {
    const escaped = broken(MARKDOWN.text(text.replaceAll('<', '‹')));
    return withoutAddresses(escaped.replace(DOLLAR, '&#36;'));
  },
  // In a table, the backslash that keeps a bar from ending a cell is shown in code.
  inlineCode: (text) => (text.includes('|') ? undefined : MARKDOWN.inlineCode?.(text)),
  // Entities are decoded in a link's target, too.
  link: (text, url) => MARKDOWN.link(text, url.replace(/&(?=#?\w+;)/g, '&amp;')),
  table: ([names = [], ...rows]) =>
    ['', rowOf(names), `|${' --- |'.repeat(names.length)}`, ...rows.map(rowOf), ''].join('\n'),
};

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

const MENTIONS = mentionsOf(
  ['@channel, @all, @here or @ and a user name', '@channel、@all、@here、「@ユーザー名」のどれか'],
  /^@[a-z0-9][a-z0-9._-]{0,63}$/,
);

export const mattermostChannel = chat({
  type: 'mattermost',
  title: { en: 'Mattermost', ja: 'Mattermost' },
  about: {
    name: 'Mattermost',
    en: { from: 'an incoming webhook', mentions: '`@channel`, `@all`, `@here`, `@name`' },
    ja: { from: '内向きのウェブフック', mentions: '`@channel`、`@all`、`@here`、`@name`' },
  },
  // By default, a server allows a sender ten messages per second.
  pace: { addressMs: 200, channelMs: 0 },
  calls: 10,
  format: drawnFormat<MattermostMessage>({
    name: 'mattermost',
    mentions: MENTIONS,
    markup: MARKUP,
    parts: ['heading', 'text', 'message', 'outputs', 'link', 'facts'],
    limit: {
      most: MAX_CHARACTERS,
      of: ({ text = '', attachments }) => (attachments?.[0].text ?? text).length,
    },
    message: ({ tone, summary, mentions, text }) => ({
      ...(mentions.length > 0 && { text: mentions.join(' ') }),
      attachments: [
        {
          fallback: withoutSlack(broken(summary)),
          color: TONE_COLOURS[tone],
          text: withoutSlack(text()),
        },
      ],
    }),
    plain: ({ whole }) => ({ text: withoutSlack(whole()) }),
  }),
  address: hooks<MattermostMessage>({
    whole: {
      is: ({ pathname }) => /\/hooks\/[a-z0-9]{26}$/.test(pathname),
      like: 'mattermost.example.com/hooks/abcdefghijklmnopqrstuvwxyz',
    },
  }),
  /** By an error's `id`; its `message` repeats the key of the webhook. */
  meanings: {
    'web.incoming_webhook.invalid.app_error': GONE,
    'web.incoming_webhook.disabled.app_error': GONE,
    403: CLOSED,
  },
  codeOf: (answer) => codeAt(jsonOf(answer), 'id'),
  receiptOf: ({ status, body }) => (status === 200 && body.trim() === 'ok' ? { answered: 'ok' } : undefined),
});
