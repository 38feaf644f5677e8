/** Access tokens for SMTP by client credentials (RFC 6749, 4.4), which nodemailer's own OAuth 2 does not have. */
import type { SMTPPoolOptions } from 'nodemailer';
import type { OpenPool } from '../../outbound/exchange.ts';
import { KeptToken } from '../../outbound/token.ts';
import { type Answers, codeAt, failureOfAnswer, jsonOf, means } from '../answers.ts';
import { formCall, openRemote } from '../chat/remote.ts';
import { loginPauseMs, notLetIn } from '../login-pause.ts';
import type { OauthSettings } from './settings.ts';
import { SmtpFailure } from './smtp-errors.ts';

/** Shorter than the time of an attempt within a POST, so that the failure names the token server. */
const TIMEOUT_MS = 4_000;

const TITLE = { en: 'The token server', ja: 'トークンサーバー' };

const answersAfter = (refusals: number): Answers => ({
  title: TITLE,
  limits: 'channel',
  concerns: 'channel',
  hasNoMessage: true,
  codeOf: (answer) => codeAt(jsonOf(answer), 'error'),
  // Only Entra's error number is kept; the rest of its text has IDs and times.
  detailOf: (answer) => {
    const [number] = /AADSTS\d+/.exec(answer.body) ?? [];
    return number === undefined ? '' : ` (${number})`;
  },
  meanings: {
    '4xx': notLetIn(
      means.config(
        'it gives no token; check token_url, client_id, client_secret (which expires) and scope under oauth',
        'トークンを取得できません。oauth の token_url、client_id、client_secret（有効期限があります）、scope を確認してください',
      ),
      loginPauseMs(refusals),
    ),
    200: means.config(
      'its answer has no access_token; check token_url under oauth',
      '応答に access_token がありません。oauth の token_url を確認してください',
    ),
  },
});

type Provide = (error: Error | null, token?: string) => void;

/** One token for all connections of a channel, kept until it expires or the mail server refuses it. */
export function accessTokens({ token_url, user, ...client }: OauthSettings, openPool: OpenPool) {
  const remote = openRemote(TITLE, openPool);
  const form = formCall(new URL(token_url), { grant_type: 'client_credentials', ...client });
  const call = { ...form, headers: { ...form.headers, accept: 'application/json' } };
  const kept = new KeptToken({
    ask: (deadline) => remote.call(call, deadline),
    failureOf: remote.failureOf,
    refusalOf: (answer, refusals) => failureOfAnswer(answer, answersAfter(refusals)),
  });
  // nodemailer itself asks for a new token after an answer 334.
  const provisionCallback = (_user: string, isRenewal: boolean, provide: Provide) => {
    if (isRenewal) kept.renew();
    kept.text(performance.now() + TIMEOUT_MS).then(
      (token) => provide(null, token),
      (cause: unknown) => provide(new Error('There is no token', { cause })),
    );
  };
  return {
    auth: { type: 'OAuth2', user, provisionCallback } satisfies SMTPPoolOptions['auth'],
    /** Does the work; once more, with a new token, if the mail server refuses one that was there before. */
    renewed: async <T>(work: () => Promise<T>): Promise<T> => {
      const [before] = kept.latest;
      return work().catch((error: unknown) => {
        if (!isRefusal(error) || before === undefined) throw error;
        kept.renew(before);
        return work();
      });
    },
    hide: (words: string): string => kept.hide(words),
    close: remote.free,
  };
}

/** "Authentication credentials invalid" (RFC 4954). */
function isRefusal(error: unknown): boolean {
  const cause: unknown = error instanceof SmtpFailure ? error.cause : undefined;
  return Reflect.get(Object(cause), 'responseCode') === 535;
}
