/** Chatwork by an account's API token: text in Chatwork's notation, whose tags take effect anywhere. */
import type { HttpAnswer } from '../../outbound/exchange.ts';
import { jsonOf, means } from '../answers.ts';
import { noAddress } from '../channel.ts';
import { chat } from '../chat/chat.ts';
import { drawnFormat } from '../chat/draw.ts';
import { percentEncoded } from '../chat/markdown.ts';
import { formCall } from '../chat/remote.ts';
import { tokenApi } from '../chat/token-api.ts';
import { type Markup, unmarked } from '../lines.ts';
import { mentionsOf } from '../mention-option.ts';

export interface ChatworkMessage {
  readonly body: string;
}

/** A message holds 65,535 (developer.chatwork.com) of an undocumented unit; this many characters fit in any unit. */
const MAX_CHARACTERS = 20_000;

/** Chatwork has no escape, so full-width brackets, which look alike and have no effect, replace brackets. */
const escape = (text: string) => text.replaceAll('[', '［').replaceAll(']', '］');

/** What Chatwork draws as faces; each match ends at the character after which a word joiner prevents that. */
const EMOTICON =
  /[:;]\^?(?=[()|*#]|[dop](?![\p{L}\p{N}]))|8-(?=[)|])|\|-(?=\))|\((?=(?:\^{1,2};?|[*hfy]|:\/|sweat|blush|inlove|talk|yawn|puke|emo|nod|shake|whew|clap|bow|roger|flex|dance|gogo|think|please|quick|anger|devil|lightbulb|cracker|eat|coffee|beer|handshake)\))/giu;
const plain = (text: string) => escape(text).replace(EMOTICON, '$&\u2060');
/** A host keeps its brackets, which hold an IPv6 address and no tag. */
const BRACKETS = /(?<!^https?:\/\/)\[|(?<!^https?:\/\/\[[\da-f:.]+)\]/gi;
const PLAIN = unmarked(plain, (address) => address.replace(BRACKETS, percentEncoded));
const MARKUP: Markup = { ...PLAIN, code: (text) => `[code]${escape(text)}[/code]` };

const MENTIONS = mentionsOf(
  ['the account id of a person or all', 'all か、人のアカウントID'],
  /^(?:\d{1,18}|all)$/,
  (entry) => (entry === 'all' ? '[toall]' : `[To:${entry}]`),
);

function below(mentions: readonly string[], body: string): ChatworkMessage {
  return { body: mentions.length === 0 ? body : `${mentions.join('')}\n${body}` };
}

const ROOM_LIMIT = 'Rate limit for message posting per room exceeded.';
const ROOM_WAIT_SECONDS = 10;

const NO_MEMBER = means.config(
  'there is no such room, or the account may not post there; check the room id, and invite the account or have the API allowed',
  'ルームが存在しないか、アカウントに投稿権限がありません。ルームIDを確認し、アカウントを招待するか、管理者にAPIの利用を許可してもらってください',
);

export const chatworkChannel = chat({
  type: 'chatwork',
  title: { en: 'Chatwork', ja: 'Chatwork' },
  about: {
    name: 'Chatwork',
    settings: "token: '${CHATWORK_TOKEN}'",
    address: '123456789',
    en: { from: 'the API token of an account', address: "the room's id", mentions: 'an account id, `all`' },
    ja: { from: 'アカウントのAPIトークン', address: 'ルームID', mentions: 'アカウントID、`all`' },
  },
  /** 300 in five minutes per token, ten in ten seconds per room (developer.chatwork.com/docs/endpoints). */
  pace: { addressMs: 1000, channelMs: 1000 },
  calls: 10,
  format: drawnFormat<ChatworkMessage>({
    name: 'chatwork',
    mentions: MENTIONS,
    markup: MARKUP,
    plainMarkup: PLAIN,
    parts: ['text', 'message', 'outputs', 'link', 'facts'],
    limit: { most: MAX_CHARACTERS, of: ({ body }) => body.length },
    message: ({ mentions, title, text }) =>
      below(mentions, `[info][title]${plain(title)}[/title]${text()}[/info]`),
    plain: ({ mentions, text }) => below(mentions, text()),
  }),
  address: tokenApi<ChatworkMessage>({
    url: 'https://api.chatwork.com/v2/',
    what: ['the API token of the account that posts', '投稿するアカウントのAPIトークン'],
    pattern: /^[\x21-\x7e]{8,}$/,
    rule: [
      'an API token: eight characters or more, no spaces, no line breaks, ASCII alone',
      'APIトークンを書いてください（8文字以上のASCIIで、空白や改行は入りません）',
    ],
    parseAddress: roomId,
    login: (token) => ({ 'x-chatworktoken': token }),
    request: (api, { address, message }) =>
      formCall(new URL(`rooms/${address}/messages`, api), { ...message }),
    me: 'me',
  }),
  meanings: {
    401: means.config(
      'the API token is not valid; put a valid one into the config',
      'APIトークンが無効です。有効なトークンを設定してください',
      { concerns: 'channel' },
    ),
    403: NO_MEMBER,
    404: NO_MEMBER,
    /** Ten messages in ten seconds; all other limits apply to the token. */
    room_limit: means.rate_limited(
      'the room takes no more messages for now',
      'ルームのレート制限を受けました',
      { concerns: 'address' },
    ),
  },
  limits: 'channel',
  kindOf: (answer) => (isRoomLimit(answer) ? 'room_limit' : undefined),
  // Every answer has the header, which is about the token's limit.
  waitOf: (answer) =>
    isRoomLimit(answer) ? ROOM_WAIT_SECONDS : secondsUntil(answer.headers['x-ratelimit-reset']?.toString()),
  receiptOf: ({ status, ...answer }) => {
    const { message_id: id } = jsonOf(answer);
    return status === 200 && typeof id === 'string' ? { message_id: id } : undefined;
  },
});

function isRoomLimit(answer: HttpAnswer): boolean {
  const { errors } = jsonOf(answer);
  return Array.isArray(errors) && errors.includes(ROOM_LIMIT);
}

/** @param reset Unix seconds */
function secondsUntil(reset: string | undefined): number | undefined {
  const seconds = Number(reset) - Date.now() / 1000;
  return Number.isFinite(seconds) ? Math.max(1, seconds) : undefined;
}

function roomId(text: string): string {
  const [, id] = /^(?:#!rid)?(\d{1,18})$/.exec(text.trim()) ?? [];
  if (id !== undefined) return id;
  throw noAddress(
    text,
    'is no room: write its id, the digits behind "#!rid" in the address of the room',
    'はルームではありません。ルームのURLの「#!rid」に続く数字を書いてください',
  );
}
