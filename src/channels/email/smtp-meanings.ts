/** What the answers of a mail server mean, by enhanced code, words, reply code and command, and what to do about each. */
import { byCodes, type Meaning, means } from '../answers.ts';

/** RFC 3463: class.subject.detail, after the reply code of any line (Cisco adds a `#`), or in parentheses at the end (qmail). */
const ENHANCED_CODE = /^\d{3}[ -]#?([245]\.\d{1,3}\.\d{1,3})\b/m;
const LAST_CODE = /\(#?([245]\.\d{1,3}\.\d{1,3})\)\s*$/;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const LOGIN = means.config(
  'the login failed; check the user name and password in the smtp URL, or oauth',
  'ログインに失敗しました。SMTP URLのユーザー名とパスワード、または oauth を確認してください',
);
const SENDER = means.config(
  'the server does not take mail from this sender; check "from", and whether the login may send as it',
  'サーバーがこの差出人を受け付けません。from と、ログインしたユーザーにその差出人で送信する権限があるかを確認してください',
);
const NOT_ALLOWED = means.config(
  'the server does not allow it to this login, sender or machine; check the login, "from", and whether the server relays for this network or has it on a block list',
  'このログイン、差出人、またはマシンからの送信をサーバーが許可していません。ログインと from、このネットワークからの中継が許可されているか、拒否リストに載っていないかを確認してください',
);
/** After DATA the message itself is never at fault: the sender, the login or a filter before the recipient is. */
const FILTER = means.config(
  'the server does not take this mail from this sender or login; check whether "from" is verified there, and what filters its mail',
  'サーバーがこの差出人またはログインからのメールを受け付けません。from がサーバーで承認されているか、メールのフィルターを確認してください',
);
const MACHINE = means.config(
  'the server refuses this machine; check whether its address is on a block list, or ask whoever runs the server to allow it',
  'サーバーがこのマシンからの接続を拒否しています。アドレスが拒否リストに載っていないかを確認するか、サーバーの管理者に許可を依頼してください',
);
const SERVER = means.config(
  'this is not how a mail server answers; check host, port, proxy and TLS options in the smtp URL',
  'メールサーバーの応答ではありません。SMTP URLのホスト、ポート、プロキシ、TLSの設定を確認してください',
);
const NEEDS_TLS = means.config(
  'the server takes mail over TLS alone; leave ignoreTLS out of the smtp URL, or use smtps://',
  'サーバーはTLSでの接続だけを受け付けます。SMTP URLから ignoreTLS を外すか、smtps:// を使ってください',
);
const CLIENT_NAME = means.config(
  'the server does not accept the name by which this machine greets it (EHLO); give it a full host name by ?name=bot.example.com in the smtp URL',
  'サーバーがこのマシンの名乗る名前（EHLO）を受け付けません。SMTP URLに ?name=bot.example.com のように完全なホスト名を指定してください',
);
const RECIPIENT = means.permanent(
  'this address cannot be delivered to; check it',
  'この宛先には配送できません。アドレスを確認してください',
  { concerns: 'address' },
);
const LIMIT = means.rate_limited(
  'the sender has reached a limit of what it may send; nothing is sent through this channel for an hour',
  '送信数の上限に達しました。このチャネルからの送信を1時間停止します',
  { concerns: 'channel', retryAfterMs: HOUR_MS },
);
const THROTTLED = means.rate_limited(
  'the server is sent too much at once; nothing is sent through this channel for a minute',
  '一度に送信しすぎています。このチャネルからの送信を1分間停止します',
  { concerns: 'channel', retryAfterMs: MINUTE_MS },
);
const BUSY = means.transient(
  'the server takes no mail now; nothing is sent through this channel for a minute',
  'サーバーは現在メールを受け付けていません。このチャネルからの送信を1分間停止します',
  { concerns: 'channel', retryAfterMs: MINUTE_MS },
);
const LATER = means.transient('the server put it off', 'サーバーが受け付けを先送りしました');
/** Greylisting and the like: the service's next retry would come sooner than the server wants. */
const MUCH_LATER: Meaning = { ...LATER, isForLater: true };

/**
 * By enhanced codes or their beginning (RFC 3463, and those of Exchange Online and Gmail), reply codes that say more than the command
 * that they answer (RFC 4954, RFC 5321, RFC 1870), commands, and nodemailer's codes for errors without an answer of the server.
 */
const MEANINGS = byCodes({
  '5.1': RECIPIENT,
  '5.1.7, 5.1.8, 5.2.252, 5.7.60, MAIL FROM': SENDER,
  '5.1.90, 5.4.5, 5.7.232, 5.7.233': LIMIT,
  '5.2.2': means.transient(
    'the mailbox is full; the next attempt succeeds once there is room',
    'メールボックスがいっぱいです。空きができれば次回の送信で届きます',
    { concerns: 'address', isForLater: true },
  ),
  '5.2.3, 5.3.4, 552': means.permanent('the message is too large', 'メールが大きすぎます'),
  '5.7, 571': NOT_ALLOWED,
  '5.7.8, 530, 534, 535, EAUTH': LOGIN,
  '5.7.10, 5.7.11, 538': NEEDS_TLS,
  '5.7.20, 5.7.21, 5.7.22, 5.7.23, 5.7.24, 5.7.25, 5.7.26, 5.7.29, 5.7.515': means.config(
    'the server cannot verify the sending domain or machine; check SPF, DKIM, DMARC, the reverse DNS entry and TLS',
    '送信元のドメインまたはマシンを検証できないため、受け付けられません。SPF、DKIM、DMARC、DNSの逆引き、TLSを確認してください',
  ),
  '5.7.30, 5.7.139': means.config(
    'Exchange Online takes no password for SMTP here: use oauth (and switch on “Authenticated SMTP” for the mailbox), a connector that relays for this machine’s address, or another provider',
    'Exchange OnlineではSMTPのパスワード認証が無効です。oauth を設定する（メールボックスの「認証済みSMTP」も有効にします）か、このマシンのアドレスを許可するコネクタ、または別のメールサービスを利用してください',
  ),
  '503, EPROXY, EPROTOCOL, EENVELOPE, EMESSAGE': SERVER,
  // Without EHLO there is no STARTTLS.
  'EHLO, STARTTLS, ETLS': means.config(
    'no encrypted connection; use a server with STARTTLS, smtps://, or ?ignoreTLS=true for a relay without TLS',
    '暗号化した接続ができません。STARTTLSまたは smtps:// に対応したサーバーを使うか、TLSのない中継サーバーなら ?ignoreTLS=true を付けてください',
  ),
  DATA: FILTER,
});

/** Replies whose words say more than their codes. */
const BY_WORDS: readonly (readonly [reply: RegExp, means: Meaning])[] = [
  [/^454 .*quota/is, LIMIT],
  [/^(?:454 .*throttl|432 4\.3\.2|451 4\.7\.500)/is, THROTTLED],
  [/^421/, BUSY],
  // Postfix's limits of a client, OpenSMTPD's of a connection (which ends by the pause), and Outlook.com's.
  [/^45\d .*\b(?:too (?:much|many) (?:[\w ]+ from|messages sent)|rate limited)\b/is, THROTTLED],
  [/^530 .*STARTTLS/is, NEEDS_TLS],
  [/^5\d\d .*\b(?:helo|ehlo)\b.*\b(?:rejected|invalid|name|domain)/is, CLIENT_NAME],
];

/** Looked for in replies without an enhanced code: Exim and others refuse a login, a sender or a machine at RCPT in words alone. */
const OF_OTHERS =
  /\b(?:relay\w*|(?:black|block|deny) ?list\w*|blocked|client host|prohibit\w*|[dr]n?s?bl|spamhaus|sender|authenti\w+|not verified|spf|dkim|dmarc)\b/i;

/** @param reply the first characters of the response @param response the whole, at whose end there may be a code */
export function meaningOf(reply: string, response: string, command: string): Meaning {
  const enhanced = enhancedCodeIn(response);
  const byWords = BY_WORDS.find(([words]) => words.test(reply));
  if (byWords !== undefined) return byWords[1];
  const code = reply.slice(0, 3);
  if (enhanced.startsWith('4.') || code < '500')
    return command === 'RCPT TO' || command === 'DATA' ? MUCH_LATER : LATER;
  if (command === 'CONN') return MACHINE;
  if (/^(?:EHLO|HELO)$/.test(command) && /^50[14]/.test(code)) return CLIENT_NAME;
  const means = refused(reply, enhanced, command);
  return BEFORE_MAIL.test(command) ? ofSession(means, command) : means;
}

const BEFORE_MAIL = /^(?:EHLO|HELO|STARTTLS|AUTH)/;

/** Before MAIL FROM, the server knows of no mail and no recipient, so it cannot have refused one. */
function ofSession(means: Meaning, command: string): Meaning {
  if (means.class !== 'permanent' && means.isForLater !== true) return means;
  return command.startsWith('AUTH') ? LOGIN : SERVER;
}

function refused(reply: string, enhanced: string, command: string): Meaning {
  const known = meaningAt(enhanced) ?? meaningAt(enhanced.replace(/\.\d+$/, ''));
  if (known === undefined && command === 'RCPT TO') return atRecipient(reply, enhanced);
  const otherwise = atCommand(reply, command);
  if (known === undefined || (known === NOT_ALLOWED && otherwise === LOGIN)) return otherwise;
  if (known === NOT_ALLOWED && command === 'DATA') return FILTER;
  // No recipient has been named yet.
  return known === RECIPIENT && command === 'MAIL FROM' ? SENDER : known;
}

function atCommand(reply: string, command: string): Meaning {
  if (command.startsWith('AUTH')) return LOGIN;
  // OpenSMTPD answers STARTTLS by 503 where it has no TLS.
  const byCode = command === 'STARTTLS' ? undefined : meaningAt(reply.slice(0, 3));
  return byCode ?? meaningAt(command) ?? SERVER;
}

/** Some servers wait for RCPT before they refuse the protocol or, in words alone, a login, a sender or a machine. */
function atRecipient(reply: string, enhanced: string): Meaning {
  if (/^5\.5\.[124]$/.test(enhanced)) return SERVER;
  const otherwise = meaningAt(reply.slice(0, 3)) ?? RECIPIENT;
  return otherwise === RECIPIENT && enhanced === '' && OF_OTHERS.test(reply) ? NOT_ALLOWED : otherwise;
}

/** @param key a code of nodemailer's, for errors without an answer */
export function meaningAt(key: string): Meaning | undefined {
  return Object.hasOwn(MEANINGS, key) ? MEANINGS[key] : undefined;
}

function enhancedCodeIn(response: string): string {
  return (ENHANCED_CODE.exec(response) ?? LAST_CODE.exec(response))?.[1] ?? '';
}
