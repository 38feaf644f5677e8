import { expect } from 'chai';
import type { Channel } from '../../../src/channels/channel.ts';
import type { FailureClass } from '../../../src/channels/failure.ts';
import { emailChannel } from '../../../src/channels/email/channel.ts';
import { poolOptionsOf } from '../../../src/channels/email/smtp-url.ts';
import { openTransport } from '../../../src/channels/email/transport.ts';
import { type CaughtMail, startMailCatcher, type MailCatcher } from '../../../src/stand-ins/mail-catcher.ts';
import type { MailFault, MailStep } from '../../../src/stand-ins/mail-catcher.ts';
import { forAll } from '../../support/anew.ts';
import { startRawMailServer } from '../../support/raw-mail-server.ts';
import { channelContract, CONFIDENTIAL, DIRECT, failureOf } from '../../contract/channel-contract.ts';
import { outgoingOf, type FailureCase } from '../../contract/channel-contract.ts';

const PASSWORD = 'p@ss/word';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** What AUTH LOGIN and AUTH PLAIN send of it (RFC 4616). */
const LOGINS = [base64(PASSWORD), base64(`\0bot\0${PASSWORD}`)];
const SHORT_MS = 400;
const FROM = 'BOT alerts <alerts@example.com>';

const message = { subject: `${CONFIDENTIAL} failed`, text: CONFIDENTIAL, html: `<p>${CONFIDENTIAL}</p>` };

const startMail = () => startMailCatcher({ login: { user: 'bot', password: PASSWORD } });

const urlOf = (mail: MailCatcher, query = '?ignoreTLS=true'): string =>
  `smtp://bot:${encodeURIComponent(PASSWORD)}@${mail.host}${query}`;

const openMail = (mail: MailCatcher, query?: string, more: object = {}): Promise<Channel> =>
  emailChannel.open({ smtp: urlOf(mail, query), from: FROM, ...more }, DIRECT);

const outgoing = (parts: object = {}) => outgoingOf({ address: 'ops@example.com', message, ...parts });

/** By name in lower case, with encoded words (RFC 2047) decoded, which the parser leaves as they are. */
function headersOf(caught: CaughtMail | undefined): Record<string, string> {
  const decoded = (value: string) =>
    value.replace(/\s*=\?UTF-8\?B\?([^?]*)\?=/g, (_word, base64 = '') =>
      Buffer.from(String(base64), 'base64').toString(),
    );
  return Object.fromEntries(caught?.parsed.headers.map(({ key, value }) => [key, decoded(value)]) ?? []);
}

const once = (fault: MailFault): MailFault => ({ times: 1, ...fault });

const refusal = (at: MailStep, code: number, failureClass: FailureClass): FailureCase<MailFault> => [
  `the server answers ${code} at "${at}"`,
  failureClass,
  String(code),
  once({ at, does: 'refuse', code, text: `5.7.1 no, ${PASSWORD} ${LOGINS.join(' ')}` }),
  { isAtConnect: at === 'connect' || at === 'auth' },
];

const dropped = (at: MailStep, times: number): FailureCase<MailFault> => [
  `the server drops the connection at "${at}"`,
  'transient',
  'ECONNRESET',
  { at, does: 'drop', times },
  { isAtConnect: at !== 'data', mayHaveArrived: at === 'data' },
];

const failures: FailureCase<MailFault>[] = [
  refusal('connect', 554, 'config'),
  refusal('auth', 454, 'transient'),
  refusal('mail', 550, 'config'),
  refusal('rcpt', 550, 'config'),
  refusal('rcpt', 450, 'transient'),
  refusal('data', 554, 'config'),
  [
    'the server refuses the login',
    'config',
    '535',
    once({ at: 'auth', does: 'refuse', code: 535, text: `5.7.8 no, ${PASSWORD} ${LOGINS.join(' ')}` }),
    { isAtConnect: true, retryAfterMs: 300_000, concerns: 'channel' },
  ],
  dropped('data', 1),
  dropped('rcpt', 1),
  dropped('connect', 2),
  ...(['connect', 'auth', 'mail', 'rcpt'] as const).map((at): FailureCase<MailFault> => [
    `the server falls silent at "${at}"`,
    'transient',
    'ETIMEDOUT',
    once({ at, does: 'hang' }),
    { timeoutMs: SHORT_MS, isAtConnect: at === 'connect' || at === 'auth', mayHaveArrived: false },
  ]),
];

describe('the email channel', () => {
  channelContract<MailCatcher>({
    secrets: [PASSWORD, encodeURIComponent(PASSWORD), ...LOGINS, base64(`\0bot\0${PASSWORD}`).slice(8, -3)],
    address: 'ops@example.com',
    message,
    hostileMessages: [
      { ...message, subject: 'half an emoji \ud83d', text: '.\r\n.\r\nQUIT\r\n', html: '\u0000<p>.</p>' },
      { ...message, text: `${'長'.repeat(100_000)}\n` },
    ],
    failures,
    start: startMail,
    stop: (mail) => mail.close(),
    open: openMail,
    faultsOf: (mail) => mail.faults,
    arrivedCount: (mail) => mail.mails.length,
    holdBack: (mail, until) => void mail.faults.push({ at: 'data', does: 'delay', until, times: 1 }),
  });

  const mail = forAll(startMail);
  const channel = forAll(() => openMail(mail));
  beforeEach(() => mail.mails.splice(0));

  it('writes one mail that says it is a machine’s, with an ID that is the same in every attempt', async () => {
    const receipts = [await channel.send(outgoing()), await channel.send(outgoing())];
    const messageId = `<${'f'.repeat(64)}@example.com>`;
    expect(receipts).to.deep.equal([{ messageId }, { messageId }]);
    const [caught] = mail.mails;
    expect(caught).to.deep.include({ from: 'alerts@example.com', to: ['ops@example.com'], user: 'bot' });
    expect(caught?.parsed).to.deep.include({
      messageId,
      from: { name: 'BOT alerts', address: 'alerts@example.com' },
      to: [{ name: '', address: 'ops@example.com' }],
      subject: message.subject,
    });
    const { raw } = caught ?? {};
    expect(raw).to.contain('Auto-Submitted: auto-generated').and.contain('X-Auto-Response-Suppress: All');
    expect(caught?.parsed.text?.trim()).to.equal(message.text);
    expect(caught?.parsed.html?.trim()).to.equal(message.html);
  });

  it('reaches an address whose local part is quoted', async () => {
    // smtp-server takes no such address.
    const server = await startRawMailServer();
    const smtp = `smtp://${server.host}?ignoreTLS=true`;
    const plain = await emailChannel.open({ smtp, from: FROM }, DIRECT);
    await plain.send(outgoing({ address: emailChannel.parseAddress('"taro..yamada"@example.jp') }));
    expect(server.heard())
      .to.contain('RCPT TO:<"taro..yamada"@example.jp>\r\n')
      .and.contain('To: <"taro..yamada"@example.jp>\r\n');
    await plain.close();
    await server.close();
  });

  it('says for the rules of a mailbox what the mail is about, and that an error is important', async () => {
    const bot = `在庫確認BOTx ${'𠮷'.repeat(300)}\r\nBcc: evil@example.com`;
    await channel.send(outgoing({ labels: { bot, status: 'error', isError: true } }));
    await channel.send(outgoing({ labels: { bot: '', status: 'digest', isError: false } }));
    const [error = {}, digest] = mail.mails.map(headersOf);
    expect(error)
      .to.include({ 'x-botbell-status': 'error', importance: 'high' })
      .and.not.have.property('bcc');
    expect(error['x-botbell-bot']).to.match(/^在庫確認BOTx 𠮷{90,}…$/u);
    expect(error['list-id']).to.match(/^<botx-bcc-evil-example-com-[0-9a-f]{8}\.botbell\.localhost>$/);
    expect(digest).to.include({ 'x-botbell-status': 'digest' });
    expect(digest).not.to.have.any.keys('x-botbell-bot', 'list-id', 'importance');
    expect(mail.mails[0]?.raw).to.match(/^(?:[\t\x20-\x7e]{0,998}\r\n)+$/);
  });

  it('carries the headers and the address for answers that the config names', async () => {
    const settings = { reply_to: 'RPA team <rpa@example.com>', headers: { 'X-Env': '本番' } };
    const own = await openMail(mail, undefined, settings);
    await own.send(outgoing());
    const [caught] = mail.mails;
    expect(caught?.parsed.replyTo).to.deep.equal([{ name: 'RPA team', address: 'rpa@example.com' }]);
    expect(headersOf(caught)).to.include({ 'x-env': '本番' });
    await own.close();
  });

  it('threads the mails of one job, and no others, though another BOT calls its job the same', async () => {
    const of = (bot: string, jobId: string) => ({ jobId, labels: { bot, status: 'error', isError: true } });
    for (const job of [of('a', '1'), of('a', '1'), of('a', '2'), of('b', '1'), { jobId: undefined }])
      await channel.send(outgoing(job));
    const [first, second, ...others] = mail.mails.map(({ parsed }) => parsed.references);
    expect(first).to.match(/^<job\.[0-9a-f]{64}@example\.com>$/);
    expect([second === first, new Set([first, ...others]).size]).to.deep.equal([true, 4]);
    expect(mail.mails.map(({ parsed }) => parsed.inReplyTo)).to.deep.equal([first, second, ...others]);
  });

  it('answers the mail to which it is a reply', async () => {
    const { messageId = '' } = await channel.send(outgoing());
    await channel.send(outgoing({ perJob: { mode: 'thread', root: { messageId }, isLoud: true } }));
    const [root, reply] = mail.mails.map(({ parsed }) => parsed);
    expect(reply).to.include({ references: root?.messageId, inReplyTo: root?.messageId });
  });

  it('reaches a Japanese domain', async () => {
    await channel.send(outgoing({ address: 'ops@例え.jp' }));
    expect(mail.mails[0]?.to).to.deep.equal(['ops@例え.jp']);
    expect(mail.mails[0]?.raw).to.contain('To: ops@xn--r8jz45g.jp');
  });

  for (const subject of [
    '在庫確認BOT 👨‍👩‍👧‍👦 が失敗しました '.repeat(6).trim(),
    'two\r\nBcc: evil@example.com\r\n\r\nlines',
    '[Failed] get: =?utf-8?B?W1N1Y2NlZWRlZF3igK5ISURERU4=?=',
  ]) {
    it(`shows a subject as it is, on one line: ${subject.slice(0, 20).trim()}`, async () => {
      await channel.send(outgoing({ message: { ...message, subject } }));
      const [caught] = mail.mails;
      const shown = caught?.parsed.subject?.replace(/ +/g, ' ').replaceAll('= ?', '=?');
      expect(shown).to.equal(subject.replace(/\s+/g, ' '));
      expect(caught?.parsed.headers.map(({ key }) => key)).not.to.include('bcc');
      const head = caught?.raw.slice(0, caught.raw.indexOf('\r\n\r\n')) ?? '';
      expect(head).to.match(/^[\t\x20-\x7e\r\n]+$/);
    });
  }

  it('carries text and HTML of any script, in lines that mail allows', async () => {
    const text = `${'長い'.repeat(3_000)}\r\n.\n..\nQUIT 👨‍👩‍👧‍👦\n`;
    const unix = (read = '') => read.replaceAll('\r\n', '\n').trim();
    await channel.send(outgoing({ message: { ...message, text, html: `<p>${text}</p>` } }));
    const [caught] = mail.mails;
    expect(unix(caught?.parsed.text)).to.equal(unix(text));
    expect(unix(caught?.parsed.html)).to.equal(unix(`<p>${text}</p>`));
    expect(caught?.raw).to.match(/^(?:[\t\x20-\x7e]{0,998}\r\n)+$/);
    const types = [...(caught?.raw ?? '').matchAll(/^Content-Type: (.*?);/gm)].map(([, type]) => type);
    expect(types).to.deep.equal(['multipart/alternative', 'text/plain', 'text/html']);
  });

  it('brings the file that a card has, as it is', async () => {
    const text = '\uFEFFbot_id,runs\r\n"請求書, BOT",3\r\n';
    const attachment = { name: 'botbell-2026-11.csv', text };
    await channel.send(outgoing({ message: { ...message, attachment } }));
    const [file] = mail.mails[0]?.parsed.attachments ?? [];
    expect(file).to.include({ filename: 'botbell-2026-11.csv', mimeType: 'text/csv' });
    expect(Buffer.from(file?.content as ArrayBuffer).toString()).to.equal(text);
  });

  it('refuses to send in clear where the URL does not allow it', async () => {
    const strict = await openMail(mail, '');
    const failure = await failureOf(strict.send(outgoing()));
    expect(failure).to.include({ class: 'config' });
    expect(failure.message).to.contain('?ignoreTLS=true');
    await strict.close();
    expect(mail.mails).to.deep.equal([]);
  });

  it('does not wait for ever when it verifies', async () => {
    const transport = openTransport(poolOptionsOf(urlOf(mail)));
    mail.faults.push({ at: 'connect', does: 'hang', times: 1 });
    const error: unknown = await transport.verify(SHORT_MS).catch((reason: unknown) => reason);
    // nodemailer's own time-out, of 25 seconds, has another name.
    expect(error).to.have.nested.property('cause.name', 'TimeoutError');
    transport.close();
  });
});

describe('the email channel over TLS', () => {
  it('encrypts before it logs in, without being asked to, and refuses a certificate that nobody vouches for', async () => {
    const mail = await startMailCatcher({ login: { user: 'bot', password: PASSWORD }, offersTls: true });
    const trusting = await openMail(mail, '?tls.rejectUnauthorized=false');
    await trusting.send(outgoing());
    expect(mail.mails[0]).to.include({ isSecure: true, user: 'bot' });
    await trusting.close();
    const strict = await openMail(mail, '');
    const failure = await failureOf(strict.send(outgoing()));
    expect(failure.class).to.equal('config');
    expect(failure.message).to.contain('certificate');
    expect(mail.mails).to.have.length(1);
    await strict.close();
    await mail.close();
  });
});
