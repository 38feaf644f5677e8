/** The settings of an email channel. */
import { type InferType, string } from 'yup';
import { hasWholeLogin, LOGIN_RULE } from '../../outbound/login.ts';
import { faultsOf } from '../../text/fault.ts';
import type { SettingWarning } from '../channel.ts';
import { headersOption } from '../headers-option.ts';
import { isHttpUrl, rule, settingsOf, textSetting, warningsOfApi } from '../settings.ts';
import { parseMailAddress, parseMailbox } from './address.ts';
import { faultOfSmtpOptions, hasLogin, isSmtpUrl, secretsInSmtpUrl, warningsOfSmtpUrl } from './smtp-url.ts';

/** Printable ASCII without a colon (RFC 5322, 2.2). */
const HEADER_NAME = /^[!-9;-~]{1,70}$/;
const HEADER_VALUE = /^[^\p{Cc}\u2028\u2029]{1,500}$/u;

/** Headers that Botbell, nodemailer or a mail server on the way sets. */
const TAKEN =
  /^(?:from|sender|to|cc|bcc|reply-to|subject|date|message-id|in-reply-to|references|mime-version|content-.*|auto-submitted|x-auto-response-suppress|importance|list-id|x-botbell-.*|return-path|received|dkim-signature|resent-.*)$/i;

// prettier-ignore
const fault = faultsOf({
  header: ['a value of one line of text, and a name that a mail allows', 'メールで使える名前と、1行の値にしてください'],
  'token url': ['must be an http:// or https:// URL without user or fragment', 'http:// か https:// のURLにしてください。ユーザー名とフラグメント（#）はつけられません'],
  address: ['must be one mail address', '1つのメールアドレスにしてください'],
  smtp: ['must be an smtp:// or smtps:// URL; {rule}', 'smtp:// か smtps:// のURLにしてください。{rule}'],
  from: ['must be one address: alerts@example.com or BOT alerts <alerts@example.com>', '差出人を1つ書いてください（例：alerts@example.com、BOT通知 <alerts@example.com>）'],
  reply_to: ['must be one address, to which answers go', '返信先のアドレスを1つ書いてください'],
  login: ['has both oauth and a login in smtp: leave the user and password out of the URL', 'oauth と、smtpのユーザー名・パスワードの両方があります。URLから外してください'],
});

/** Client credentials (RFC 6749, 4.4) by which a token for SMTP is fetched. */
const oauthSettings = settingsOf({
  token_url: textSetting('the https:// URL of the token endpoint', 'トークンエンドポイントのURL（https://）')
    .test(rule(fault('token url'), isHttpUrl))
    .meta({ example: 'https://login.microsoftonline.com/TENANT/oauth2/v2.0/token' }),
  client_id: textSetting('the ID of the application', 'アプリケーションのID'),
  client_secret: textSetting('the secret of the application', 'アプリケーションのシークレット'),
  scope: textSetting(
    'the scope, e.g. https://outlook.office365.com/.default',
    'スコープ（例：https://outlook.office365.com/.default）',
  ),
  user: textSetting('the mailbox that is sent from', '送信元のメールボックス')
    .test(rule(fault('address'), passes(parseMailAddress)))
    .meta({ example: 'alerts@example.com' }),
})
  .default(undefined)
  .optional();

export type OauthSettings = NonNullable<InferType<typeof oauthSettings>>;

const isWhole = (smtp: string) => isSmtpUrl(smtp) && hasWholeLogin(smtp);

export const emailSettings = settingsOf({
  smtp: textSetting(
    'the URL of the mail server, e.g. smtps://user:password@mail.example.com',
    'メールサーバーのURL（例：smtps://user:password@mail.example.com）',
  )
    .test(rule(fault('smtp', { rule: LOGIN_RULE }), isWhole))
    .test('options', (text, context) => {
      // If a password is not percent-encoded, its end may stand among the options.
      const wrong = isWhole(text) ? faultOfSmtpOptions(text) : undefined;
      return wrong === undefined || context.createError({ message: () => wrong });
    })
    .meta({ example: 'smtps://mail.example.com' }),
  from: textSetting(
    'the sender, e.g. BOT alerts <alerts@example.com>',
    '差出人（例：BOT通知 <alerts@example.com>）',
  )
    .test(rule(fault('from'), passes(parseMailbox)))
    .meta({ example: 'alerts@example.com' }),
  reply_to: string()
    .test(rule(fault('reply_to'), passes(parseMailbox)))
    .meta({ example: 'alerts@example.com' }),
  headers: headersOption({ name: HEADER_NAME, value: HEADER_VALUE, taken: TAKEN, rule: fault('header') }),
  oauth: oauthSettings,
}).test(
  'login',
  () => fault('login'),
  ({ smtp, oauth }) => oauth === undefined || !isSmtpUrl(smtp) || !hasLogin(smtp),
);

export type EmailSettings = InferType<typeof emailSettings>;

/** Undefined passes: the value is optional, or another rule reports that it is missing. */
function passes(parse: (value: string) => unknown) {
  return (value: string | undefined): boolean => {
    try {
      if (value !== undefined) parse(value);
      return true;
    } catch {
      return false;
    }
  };
}

export function secretsOfEmail({ smtp, oauth }: EmailSettings): readonly string[] {
  return [...secretsInSmtpUrl(smtp), ...(oauth === undefined ? [] : [oauth.client_secret])];
}

export function warningsOfEmail({ smtp, oauth }: EmailSettings): readonly SettingWarning[] {
  const ofToken = warningsOfApi({ token_url: oauth?.token_url });
  return [
    ...warningsOfSmtpUrl(smtp, oauth !== undefined),
    ...ofToken.map((each) => ({ ...each, key: ['oauth', 'token_url'] })),
  ];
}
