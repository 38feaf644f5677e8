/** A bot of LINE WORKS, one message at a time: five at once are too many for a tenant. */
import type { HttpAnswer, OpenPool } from '../../outbound/exchange.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import type { Channel, Outgoing, Receipt } from '../channel.ts';
import { openedChannel, sendOrPlain } from '../open-channel.ts';
import { jsonCall } from '../hooks/hook-channel.ts';
import { Remote } from '../hooks/remote.ts';
import { type LineworksMessage, unmentioned } from './compose.ts';
import { AccessToken } from './token.ts';

/** As the settings of the channel have them, all of which but the URLs are there. */
export interface BotSettings {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly service_account?: string | undefined;
  readonly private_key?: string | undefined;
  readonly bot_id?: string | undefined;
  readonly auth_url?: string | undefined;
  readonly api_url?: string | undefined;
}

const VERIFY_TIMEOUT_MS = 5_000;

const ANSWERS: Answers = {
  title: { en: 'LINE WORKS', ja: 'LINE WORKS' },
  limits: 'channel',
  codeOf: (answer) => codeAt(jsonOf(answer), 'code'),
  /** Seconds; without it, the minute that the rates are published for. */
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
  const {
    auth_url: authUrl = 'https://auth.worksmobile.com',
    api_url: apiUrl = 'https://www.worksapis.com',
  } = settings;
  const remote = new Remote(ANSWERS.title, openPool);
  const token = new AccessToken(remote, {
    clientId: settings.client_id ?? '',
    clientSecret: settings.client_secret ?? '',
    account: settings.service_account ?? '',
    privateKey: settings.private_key ?? '',
    authUrl,
  });
  const messages = new URL(`/v1.0/bots/${settings.bot_id ?? ''}/`, apiUrl);
  let last: Promise<unknown> = Promise.resolve();
  return openedChannel({
    send: (outgoing) => {
      const deadline = performance.now() + outgoing.timeoutMs;
      const sending = last.then(() => tell(remote, token, messages, outgoing, deadline));
      last = sending.catch(() => undefined);
      return sending;
    },
    verify: async () => void (await token.text(performance.now() + VERIFY_TIMEOUT_MS)),
    free: () => remote.close(),
    failureOf: (error) => remote.failureOf(error),
  });
}

function tell(
  remote: Remote,
  token: AccessToken,
  bot: URL,
  { address, message }: Outgoing,
  deadline: number,
): Promise<Receipt> {
  const url = new URL(pathOf(address), bot);
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
  const one = message as LineworksMessage;
  const plain = unmentioned(one);
  return sendOrPlain(() => send(one), plain === undefined ? undefined : () => send(plain));
}

function pathOf(address: string): string {
  const [, user] = /^user:(.*)$/s.exec(address) ?? [];
  return user === undefined ? `channels/${address}/messages` : `users/${encodeURIComponent(user)}/messages`;
}
