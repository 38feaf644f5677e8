/** Addresses of chats whose API takes a token. */
import type { Schema } from 'yup';
import { faultSaid } from '../../text/fault.ts';
import { failureOfAnswer } from '../answers.ts';
import { apiUrl, baseUrl, settingsOf, textSetting, warningsOfApi } from '../settings.ts';
import { type Address, type Call, receiptFrom } from './chat.ts';
import { type HttpCall, openRemote, OWN_HEADERS, VERIFY_TIMEOUT_MS } from './remote.ts';

interface TokenSettings {
  readonly token: string;
  readonly api_url?: string | undefined;
}

/** What the setting `token` may be; its rules never show the token. */
interface TokenRule {
  /** What it is, in the words of the service: `the API token of the account that posts`; in English and Japanese. */
  readonly what: readonly [en: string, ja: string];
  readonly pattern: RegExp;
  readonly rule: readonly [en: string, ja: string];
  readonly example?: string;
}

export function tokenSettings({ what: [en, ja], pattern, rule, example }: TokenRule) {
  const token = textSetting(en, ja, example).matches(pattern, () => faultSaid(`must be ${rule[0]}`, rule[1]));
  return { token, api_url: apiUrl() };
}

interface Api<Message> extends TokenRule {
  /** The API's default URL; ends with a slash. */
  readonly url: string;
  readonly parseAddress: Address<Message, TokenSettings>['parseAddress'];
  /** The header with the token. */
  login(token: string): Readonly<Record<string, string>>;
  request(api: URL, call: Call<Message>): HttpCall;
  /** The path of a GET that fails as a message would if the token is not valid. */
  readonly me: string;
}

export function tokenApi<Message>(api: Api<Message>): Address<Message, TokenSettings> {
  const settings: Schema<TokenSettings> = settingsOf(tokenSettings(api));
  return {
    settings,
    parseAddress: api.parseAddress,
    secretsOf: ({ token }) => [token],
    warningsOf: ({ api_url }) => warningsOfApi({ api_url }),
    open: (chat, { token, api_url = api.url }, { openPool }) => {
      const remote = openRemote(chat.title, openPool);
      const base = baseUrl(api_url);
      const ask = (call: HttpCall, deadline: number, onWritten?: () => unknown) =>
        remote.call(
          { ...call, headers: { ...OWN_HEADERS, ...api.login(token), ...call.headers } },
          deadline,
          onWritten,
        );
      return {
        ...remote,
        send: async (call) =>
          receiptFrom(await ask(api.request(base, call), call.deadline, call.onHandedOver), chat),
        verify: async () => {
          const me: HttpCall = { method: 'GET', url: new URL(api.me, base) };
          const answer = await ask(me, performance.now() + VERIFY_TIMEOUT_MS);
          if (answer.status !== 200) throw failureOfAnswer(answer, { ...chat, hasNoMessage: true });
        },
      };
    },
  };
}
