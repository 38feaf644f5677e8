/** Chatwork by an account's API token: text messages in Chatwork's notation. */
import { type InferType, object, string } from 'yup';
import type { HttpAnswer } from '../../outbound/exchange.ts';
import { type Answers, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import { apiUrl, baseUrl, warningsOfApi } from '../api-url.ts';
import { AddressError, type ChannelType, type Receipt } from '../channel.ts';
import { sendOrPlain } from '../open-channel.ts';
import { FORM_HEADERS, Remote } from '../hooks/remote.ts';
import { chatworkFormat, chatworkMentions, type ChatworkMessage, plainChatwork } from './compose.ts';

const DEFAULT_API_URL = 'https://api.chatwork.com/v2/';
const VERIFY_TIMEOUT_MS = 5_000;

const settings = object({
  token: string()
    .typeError('${path} must be a string')
    .required('${path} is missing: the API token of the account that posts')
    .matches(
      /^[\x21-\x7e]{8,}$/,
      '${path} must be an API token: eight characters or more, no spaces, no line breaks, ASCII alone',
    )
    .meta({ example: 'not-set-here' }),
  api_url: apiUrl(),
})
  .noUnknown()
  .strict();

type Settings = InferType<typeof settings>;

const ROOM_LIMIT = 'Rate limit for message posting per room exceeded.';
const ROOM_WAIT_SECONDS = 10;

const NO_MEMBER = meaning(
  'config',
  'there is no such room, or the account may not post there; check the room id, and invite the account or have the API allowed',
  'ルームが存在しないか、アカウントに投稿権限がありません。ルームIDを確認し、アカウントを招待するか、管理者にAPIの利用を許可してもらってください',
);

const answers: Answers = {
  title: { en: 'Chatwork', ja: 'Chatwork' },
  meanings: {
    401: meaning(
      'config',
      'the API token is not valid; put a valid one into the config',
      'APIトークンが無効です。有効なトークンを設定してください',
      { concerns: 'channel' },
    ),
    403: NO_MEMBER,
    404: NO_MEMBER,
    /** Ten messages in ten seconds; all other limits apply to the token. */
    room_limit: meaning(
      'rate_limited',
      'the room takes no more messages for now',
      'ルームのレート制限を受けました',
      { concerns: 'address' },
    ),
  },
  limits: 'channel',
  codeOf: (answer) => (isRoomLimit(answer) ? 'room_limit' : undefined),
  // Every answer has the header, which is about the token's limit.
  waitOf: (answer) =>
    isRoomLimit(answer) ? ROOM_WAIT_SECONDS : secondsUntil(answer.headers['x-ratelimit-reset']?.toString()),
};

function isRoomLimit(answer: HttpAnswer): boolean {
  const { errors } = jsonOf(answer);
  return Array.isArray(errors) && errors.includes(ROOM_LIMIT);
}

/** @param reset Unix seconds */
function secondsUntil(reset: string | undefined): number | undefined {
  const seconds = Number(reset) - Date.now() / 1000;
  return Number.isFinite(seconds) ? Math.max(1, seconds) : undefined;
}

export const chatworkChannel: ChannelType<Settings> = {
  type: 'chatwork',
  /** 300 in five minutes per token, ten in ten seconds per room (developer.chatwork.com/docs/endpoints). */
  pace: { addressMs: 1000, channelMs: 1000 },
  settings,
  optionsOf: () => ({ mention_on_error: chatworkMentions }),
  formatOf: () => chatworkFormat,
  parseAddress: roomId,
  secretsOf: ({ token }) => [token],
  warningsOf: ({ api_url }) => warningsOfApi({ api_url }),
  open: ({ token, api_url = DEFAULT_API_URL }, { openPool }) => {
    const remote = new Remote(answers.title, openPool);
    const ask = async (path: string, deadline: number, form?: ChatworkMessage): Promise<HttpAnswer> => {
      const answer = await remote.call({
        method: form === undefined ? 'GET' : 'POST',
        url: new URL(path, baseUrl(api_url)),
        headers: { 'x-chatworktoken': token, ...(form !== undefined && FORM_HEADERS) },
        body: form === undefined ? '' : new URLSearchParams({ ...form }).toString(),
        deadline,
      });
      if (answer.status !== 200) throw failureOfAnswer(answer, answers);
      return answer;
    };
    const channel = remote.channel({
      send: ({ address, message, timeoutMs }) => {
        const deadline = performance.now() + timeoutMs;
        const card = message as ChatworkMessage;
        const send = async (form: ChatworkMessage) =>
          receiptOf(await ask(`rooms/${address}/messages`, deadline, form));
        return sendOrPlain(send, card, plainChatwork(card));
      },
      verify: async () => void (await ask('me', performance.now() + VERIFY_TIMEOUT_MS)),
    });
    return Promise.resolve(channel);
  },
};

function roomId(text: string): string {
  const [, id] = /^(?:#!rid)?(\d{1,18})$/.exec(text.trim()) ?? [];
  if (id !== undefined) return id;
  throw new AddressError(
    `${JSON.stringify(text.slice(0, 80))} is no room: write its id, the digits behind "#!rid" in the address of the room`,
  );
}

function receiptOf(answer: HttpAnswer): Receipt {
  const { message_id: id } = jsonOf(answer);
  if (typeof id === 'string') return { message_id: id };
  throw failureOfAnswer(answer, answers);
}
