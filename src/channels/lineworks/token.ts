/** Access tokens of a service account (developers.worksmobile.com/jp/docs/auth-jwt): fetched when first needed, renewed early. */
import { createPrivateKey, createSign } from 'node:crypto';
import { type Answers, codeAt, failureOfAnswer, jsonOf, meaning } from '../answers.ts';
import type { Remote } from '../hooks/remote.ts';

export interface ServiceAccount {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly account: string;
  /** PEM. */
  readonly privateKey: string;
  readonly authUrl: string;
}

const LIFETIME_SECONDS = 1800;

/** So long before its end a token is renewed. */
const EARLY_MS = 5 * 60_000;

const ANSWERS: Answers = {
  title: { en: 'LINE WORKS', ja: 'LINE WORKS' },
  limits: 'channel',
  concerns: 'channel',
  codeOf: (answer) => codeAt(jsonOf(answer), 'error'),
  meanings: {
    invalid_client: meaning(
      'config',
      'the login knows no such client_id with this client_secret',
      'client_id または client_secret が正しくありません',
    ),
    invalid_grant: meaning(
      'config',
      'the login refuses service_account with this private_key',
      'service_account または private_key が正しくありません',
    ),
    invalid_scope: meaning('config', 'the app lacks the scope "bot"', 'アプリにスコープ「bot」がありません'),
    '4xx': meaning(
      'config',
      'the login refuses the app; check client_id, client_secret, service_account and private_key',
      '認証に失敗しました。client_id、client_secret、service_account、private_key を確認してください',
    ),
  },
};

/** From an environment variable, line ends often come as `\n`. */
function pemOf(key: string): string {
  return key.replaceAll('\\n', '\n');
}

export function isPrivateKey(key: string): boolean {
  try {
    return createPrivateKey(pemOf(key)).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** One for all messages of a channel; whoever comes while it is being fetched waits for the same. */
export class AccessToken {
  readonly #remote: Remote;
  readonly #account: ServiceAccount;
  #token: Promise<{ readonly text: string; readonly until: number }> | undefined;

  constructor(remote: Remote, account: ServiceAccount) {
    this.#remote = remote;
    this.#account = account;
  }

  /** @throws {DeliveryFailure} the login refuses it @throws {Error} of the network */
  async text(deadline: number): Promise<string> {
    const known = await this.#token?.catch(() => undefined);
    if (known !== undefined && known.until > Date.now()) return known.text;
    this.#token = this.#fetch(deadline);
    return (await this.#token).text;
  }

  /** It was not taken: the next message has another one. */
  forget(): void {
    this.#token = undefined;
  }

  async #fetch(deadline: number) {
    const { authUrl, clientId, clientSecret } = this.#account;
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertionOf(this.#account),
      client_id: clientId,
      client_secret: clientSecret,
      scope: 'bot',
    });
    const answer = await this.#remote.call({
      url: new URL('/oauth2/v2.0/token', authUrl),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      deadline,
    });
    const { access_token: text, expires_in: seconds } = jsonOf(answer);
    if (answer.status !== 200 || typeof text !== 'string') throw failureOfAnswer(answer, ANSWERS);
    return { text, until: Date.now() + Math.max(0, Number(seconds) || 3600) * 1000 - EARLY_MS };
  }
}

/** RFC 7523: who asks, for whom, signed. */
function assertionOf({ clientId, account, privateKey }: ServiceAccount): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: account, iat: now, exp: now + LIFETIME_SECONDS };
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = createSign('RSA-SHA256').update(signed).sign(pemOf(privateKey), 'base64url');
  return `${signed}.${signature}`;
}
