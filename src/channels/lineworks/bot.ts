/** A bot of LINE WORKS. It sends one message at a time: for a tenant, five requests at once are too many. */
import type { HttpAnswer, OpenPool } from '../../outbound/exchange.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import type { Channel, Outgoing, Receipt } from '../channel.ts';
import { failureOf, type Words } from '../failure.ts';
import { sendOrPlain } from '../open-channel.ts';
import { jsonCall } from '../hooks/hook-channel.ts';
import { Remote } from '../hooks/remote.ts';
import { type LineworksMessage, unmentioned } from './compose.ts';
import { accessToken, type BotSettings } from './token.ts';

const VERIFY_TIMEOUT_MS = 5_000;

const ANSWERS: Answers = {
  title: { en: 'LINE WORKS', ja: 'LINE WORKS' },
  limits: 'channel',
  codeOf: (answer) => codeAt(jsonOf(answer), 'code'),
  /** Seconds; without the header, a minute, since the published rates are per minute. */
  waitOf: ({ headers }) => headers['ratelimit-reset']?.toString() ?? 60,
  meanings: {
    401: meaning(
      'config',
      'the token is refused, although it is new; check that the app has the scope "bot", and that bot_id is a bot of the same app',
      '取得したばかりのトークンが拒否されました。アプリのスコープ「bot」と、bot_id が同じアプリのBotかどうかを確認してください',
    ),
    404: meaning(
      'config',
      'there is no such bot, channel or member; check bot_id and the address',
      'Bot、トークルームまたはメンバーが見つかりません。bot_id と宛先を確認してください',
    ),
    403: meaning(
      'config',
      'the bot may not post there; publish it to the member, or invite it to the room',
      'Botが投稿できません。Botをメンバーに公開するか、トークルームに招待してください',
    ),
  },
};

const NO_TURN: Words = {
  en: 'LINE WORKS takes one message at a time, and those before this one took all of its time. Nothing was sent',
  ja: 'LINE WORKSには1件ずつ送信します。前のメッセージの送信に時間がかかり、このメッセージは送信されていません',
};

export function openBot(settings: BotSettings, openPool: OpenPool): Channel {
  const { bot_id: bot = '', api_url: api = 'https://www.worksapis.com' } = settings;
  const remote = new Remote(ANSWERS.title, openPool);
  const token = accessToken(remote, settings);
  const tell = ({ address, message }: Outgoing, deadline: number): Promise<Receipt> => {
    if (performance.now() >= deadline) throw failureOf({ class: 'transient', code: 'busy' }, NO_TURN);
    const url = new URL(`/v1.0/bots/${bot}/${pathOf(address)}`, api);
    const post = async (one: LineworksMessage): Promise<HttpAnswer> => {
      const headers = { authorization: `Bearer ${await token.text(deadline)}` };
      return remote.call({ ...jsonCall(url, one, headers), deadline });
    };
    const send = async (one: LineworksMessage): Promise<Receipt> => {
      let answer = await post(one);
      if (answer.status === 401) {
        token.forget();
        answer = await post(one);
      }
      if (answer.status !== 201) throw failureOfAnswer(answer, ANSWERS);
      return { answered: '201' };
    };
    const whole = message as LineworksMessage;
    return sendOrPlain(send, whole, unmentioned(whole));
  };
  let last: Promise<unknown> = Promise.resolve();
  return remote.channel({
    send: (outgoing) => {
      // Its time also runs while it waits: a message that was given up must not be sent afterwards.
      const deadline = performance.now() + outgoing.timeoutMs;
      const sending = last.then(() => tell(outgoing, deadline));
      last = sending.catch(() => undefined);
      return sending;
    },
    verify: async () => void (await token.text(performance.now() + VERIFY_TIMEOUT_MS)),
  });
}

function pathOf(address: string): string {
  const [, user] = /^user:(.*)$/s.exec(address) ?? [];
  return user === undefined ? `channels/${address}/messages` : `users/${encodeURIComponent(user)}/messages`;
}
