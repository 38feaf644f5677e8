/** A bot of LINE WORKS. It sends one message at a time: for a tenant, five requests at once are too many. */
import type { HttpAnswer, OpenPool } from '../../outbound/exchange.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import type { Channel, Outgoing, Receipt } from '../channel.ts';
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
    403: meaning(
      'config',
      'the bot may not post there; publish it to the member, or invite it to the room',
      'Botが投稿できません。Botをメンバーに公開するか、トークルームに招待してください',
    ),
  },
};

export function openBot(settings: BotSettings, openPool: OpenPool): Channel {
  const { bot_id: bot = '', api_url: api = 'https://www.worksapis.com' } = settings;
  const remote = new Remote(ANSWERS.title, openPool);
  const token = accessToken(remote, settings);
  const tell = ({ address, message, timeoutMs }: Outgoing): Promise<Receipt> => {
    const deadline = performance.now() + timeoutMs;
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
      const sending = last.then(() => tell(outgoing));
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
