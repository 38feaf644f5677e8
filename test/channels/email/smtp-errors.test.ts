import { expect } from 'chai';
import { DeliveryFailure } from '../../../src/channels/failure.ts';
import { smtpFailureOf, SmtpFailure } from '../../../src/channels/email/smtp-errors.ts';
import { secretsHidden } from '../../../src/text/hide-secrets.ts';

const asItIs = (words: string): string => words;
const smtpError = (fields: object): Error => Object.assign(new Error('refused'), fields);
const hide = secretsHidden(['hunter22']);
const failureOf = (fields: object) => smtpFailureOf(smtpError(fields), hide);
const failureAfter = (command: string, response: string): DeliveryFailure =>
  failureOf({ command, response, responseCode: Number(response.slice(0, 3)) });

describe('the meaning of an SMTP answer', () => {
  for (const [failureClass, answers] of [
    ['transient', '421 CONN, 454 AUTH PLAIN, 451 MAIL FROM, 450 RCPT TO, 452 DATA, 250 DATA, 454 STARTTLS'],
    ['config', '554 CONN, 500 EHLO, 550 AUTH LOGIN, 530 MAIL FROM, 550 MAIL FROM, 530 RCPT TO, 503 RCPT TO'],
    ['permanent', '552 MAIL FROM, 550 RCPT TO, 553 RCPT TO, 552 DATA'],
  ] as const)
    it(`is ${failureClass} for ${answers}`, () => {
      for (const answer of answers.split(', ')) {
        const [code = '', command] = answer.split(/ (.*)/);
        const failure = failureOf({ code: 'EAUTH', command, responseCode: Number(code) });
        expect(failure, answer).to.include({ class: failureClass, code });
      }
    });

  for (const [command, failureClass, words, answer] of [
    ['DATA', 'config', 'sender', '554 5.2.252 SendAsDenied; bot@x.jp not allowed to send as ops@x.jp'],
    ['DATA', 'config', 'sender', '550 5.7.60 SMTP; Client does not have permissions to send as this sender'],
    ['DATA', 'rate_limited', 'limit', '550 5.4.5 Daily user sending limit exceeded'],
    ['MAIL FROM', 'rate_limited', 'limit', '550 5.7.233 Your tenant exceeded its daily limit'],
    ['RCPT TO', 'rate_limited', 'limit', '550 5.1.90 You have reached your daily limit'],
    ['DATA', 'permanent', 'too large', '552 5.3.4 Message size exceeds fixed limit'],
    ['RCPT TO', 'permanent', 'too large', '550 5.2.3 too long for this mailbox'],
    ['RCPT TO', 'config', 'relay', '554 5.7.1 <ops@example.com>: Relay access denied'],
    ['RCPT TO', 'transient', 'full', '552 5.2.2 <ops@example.com>: mailbox full'],
    ['DATA', 'permanent', 'this address', '550-5.1.1 no such user\n550 5.1.1 look again'],
    ['RCPT TO', 'config', 'sender', '553 5.1.8 sender rejected'],
    ['MAIL FROM', 'config', 'sender', '550 5.1.7 bad sender'],
    ['DATA', 'config', 'SPF', '550-5.7.26 unauthenticated sender'],
    ['RCPT TO', 'config', 'SPF', '550 5.7.23 Message rejected due to: SPF fail - not authorized'],
    ['DATA', 'config', 'DKIM', '550 5.7.515 Access denied'],
    ['AUTH PLAIN', 'config', 'password', '535 5.7.3 Authentication unsuccessful'],
    ['AUTH PLAIN', 'config', 'oauth', '535 5.7.139 Authentication unsuccessful'],
    ['AUTH PLAIN', 'config', 'password', '550 5.1.1 no such user'],
    ['AUTH LOGIN', 'config', 'password', '552 5.2.2 over quota'],
    ['EHLO', 'config', 'not how a mail server answers', '550 5.1.1 no such user'],
    ['MAIL FROM', 'config', 'connector', '550 5.7.30 Basic authentication is not supported'],
    ['CONN', 'config', 'refuses this machine', '554 5.7.1 Client host [192.0.2.7] blocked'],
    ['RCPT TO', 'transient', 'put it off', '550 4.7.1 greylisted'],
    ['DATA', 'config', 'from this sender', '554 5.5.0 no'],
    // Amazon SES.
    ['DATA', 'config', 'from this sender', '554 Message rejected: Email address is not verified.'],
    // qmail.
    ['RCPT TO', 'config', 'relays', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
    // Postfix, of whoever runs in a container.
    ['RCPT TO', 'config', '?name=', '504 5.5.2 <7d9f0c1b>: Helo command rejected: need full hostname'],
    ['EHLO', 'config', '?name=', '501 5.5.4 Invalid domain name'],
    ['HELO', 'config', '?name=', '501 5.5.4 Invalid domain name'],
    ['MAIL FROM', 'config', 'ignoreTLS', '530 5.7.0 Must issue a STARTTLS command first'],
    ['AUTH PLAIN', 'config', 'ignoreTLS', '538 5.7.11 Encryption required for this mechanism'],
    ['MAIL FROM', 'config', 'ignoreTLS', '554 5.7.10 Encryption needed'],
    ['MAIL FROM', 'config', 'not how a mail server answers', '503 5.5.1 Error: send HELO/EHLO first'],
    ['RCPT TO', 'config', 'not how a mail server answers', '501 5.5.4 Invalid domain name'],
    ['RCPT TO', 'config', 'relays', '550-too bad\n550 5.7.1 in the last line'],
    // No recipient has been named yet.
    ['MAIL FROM', 'config', 'this sender', '553 5.1.3 bad syntax'],
    // Exim, by words alone.
    ['RCPT TO', 'config', 'relays', '550 relay not permitted'],
    ['RCPT TO', 'config', 'block list', '550 rejected: 192.0.2.7 is in a black list at zen.spamhaus.org'],
    ['RCPT TO', 'config', 'this login, sender', '550 Sender verify failed'],
    ['RCPT TO', 'config', 'block list', '550 Administrative prohibition'],
    ['RCPT TO', 'config', 'block list', '571 Delivery not authorized, message refused'],
    ['STARTTLS', 'config', '?ignoreTLS=true', '502 5.5.1 command not implemented'],
    ['STARTTLS', 'config', '?ignoreTLS=true', '503 5.5.1 Invalid command: Command not supported'],
    ['EHLO', 'config', '?ignoreTLS=true', '500 unknown command'],
    // Postfix's milters and header checks.
    ['DATA', 'config', 'filters', '550 5.7.1 Command rejected'],
    ['DATA', 'config', 'filters', '552 5.7.0 This message was blocked because of its content'],
  ] as const)
    it(`makes "${answer.slice(0, 40)}" to ${command} ${failureClass}, and the words are quoted`, () => {
      const failure = failureAfter(command, answer);
      expect(failure).to.include({ class: failureClass });
      expect(failure.message).to.contain(words).and.contain(answer.replace('\n', ' '));
      if (failureClass === 'rate_limited')
        expect(failure).to.include({ concerns: 'channel', retryAfterMs: 3_600_000 });
    });

  for (const [answer, command, failureClass, minutes] of [
    // Amazon SES, Exchange Online.
    ['454 Throttling failure: Maximum sending rate exceeded.', 'DATA', 'rate_limited', 1],
    ['454 Throttling failure: Daily message quota exceeded.', 'DATA', 'rate_limited', 60],
    ['432 4.3.2 Concurrent connections limit exceeded', 'MAIL FROM', 'rate_limited', 1],
    ['451 4.7.500 Server busy. Please try again later', 'MAIL FROM', 'rate_limited', 1],
    // Postfix, OpenSMTPD, Outlook.com.
    ['450 4.7.1 Error: too much mail from 192.0.2.7', 'MAIL FROM', 'rate_limited', 1],
    ['450 4.7.1 Error: too many recipients from 192.0.2.7', 'RCPT TO', 'rate_limited', 1],
    ['452 4.5.3 Too many recipients: Too many messages sent', 'MAIL FROM', 'rate_limited', 1],
    ['451 4.7.650 The server [192.0.2.7] has been rate limited', 'MAIL FROM', 'rate_limited', 1],
    ['421 4.7.0 Try again later', 'CONN', 'transient', 1],
  ] as const)
    it(`pauses the channel for ${minutes} min after "${answer.slice(0, 40)}" to ${command}`, () => {
      const paused = { class: failureClass, concerns: 'channel', retryAfterMs: minutes * 60_000 };
      expect(failureAfter(command, answer)).to.include(paused);
    });

  it('is tried by Botbell alone where the server wants the mail later, and again at once where it is elsewhere in trouble', () => {
    const isForLater = (command: string, answer: string) => failureAfter(command, answer).isForLater;
    expect(isForLater('RCPT TO', '450 4.7.1 greylisted, please try again in 300 seconds')).to.equal(true);
    expect(isForLater('DATA', '451 4.3.0 queue file write error')).to.equal(true);
    expect(isForLater('RCPT TO', '552 5.2.2 mailbox full')).to.equal(true);
    expect(isForLater('MAIL FROM', '451 4.3.0 try again')).to.equal(false);
  });

  it('pauses the channel after a login that is refused, says for how long, and not where it could not be judged', () => {
    const refused = failureAfter('AUTH PLAIN', '535 5.7.8 authentication failed');
    expect(refused).to.include({ class: 'config', concerns: 'channel', retryAfterMs: 300_000 });
    expect(refused.message).to.contain('tried in 5 minutes');
    expect(refused.japanese).to.contain('5分後');
    expect(failureAfter('AUTH PLAIN', '454 4.7.0 temporary').retryAfterMs).to.equal(undefined);
    expect(failureAfter('MAIL FROM', '550 no').retryAfterMs).to.equal(undefined);
  });

  it('concerns the address where the server refuses the recipient, and else the channel', () => {
    const concerned = (answers: string) =>
      answers.split(', ').map((each) => failureAfter(...(each.split(': ') as [string, string])).concerns);
    const ofRecipient = concerned('RCPT TO: 550 no, DATA: 550 5.1.1 x, DATA: 552 5.2.2 x');
    expect(ofRecipient).to.deep.equal(Array(3).fill('address'));
    const others = concerned('MAIL FROM: 550 no, DATA: 550 no, EHLO: 550 no');
    expect(others).to.deep.equal(Array(3).fill('channel'));
  });

  it('is told in Japanese, too, with the server’s own words', () => {
    expect(failureAfter('RCPT TO', '550 5.1.1 no such user').japanese).to.equal(
      'メールサーバーの応答 “550 5.1.1 no such user”（RCPT TO）: この宛先には配送できません。アドレスを確認してください。',
    );
  });

  it('names the command that was answered, unless it is the greeting', () => {
    expect(failureAfter('DATA', '554 no').message).to.contain('“554 no” to DATA: ');
    expect(failureAfter('CONN', '554 no').message).to.contain('“554 no”: ');
  });

  it('quotes the words of the server on one line, cut, and without a secret', () => {
    const { message } = failureAfter('RCPT TO', '550-5.1.1 no\r\n550 such\u0007 user hunter22');
    expect(message).to.contain('“550-5.1.1 no 550 such user [secret]”');
    const long = failureAfter('RCPT TO', `550 ${'x'.repeat(190)}hunter22${'x'.repeat(9_000)}`).message;
    expect(long).to.have.length.below(400);
    expect(long).not.to.contain('hunt');
  });
});

describe('the meaning of a mail error without an answer', () => {
  it('is that of nodemailer’s code, or of the system’s where there is one, in Japanese, too', () => {
    for (const [failureClass, codes] of [
      ['config', ['EAUTH', 'ETLS', 'EPROTOCOL', 'EPROXY', 'EENVELOPE', 'EMESSAGE']],
      ['transient', ['ESOCKET', 'EDNS', 'ETIMEDOUT', 'EVERYTHING_ELSE']],
    ] as const)
      for (const code of codes) {
        const failure = failureOf({ code });
        expect(failure).to.include({ class: failureClass, code });
        if (failureClass !== 'transient')
          expect(failure.japanese, code).to.match(/^メールサーバー: (?!.*[a-z]{2,} [a-z]{2,}).*。$/);
      }
    const garbage = smtpFailureOf(new SmtpFailure(true, smtpError({ code: 'EMESSAGE' })), asItIs);
    expect(garbage).to.include({ class: 'config', mayHaveArrived: true });
    expect(garbage.message).to.match(/The message may have arrived\.$/);
    expect(failureOf({ code: 'ESOCKET', originalCode: 'ECONNREFUSED' })).to.include({ code: 'ECONNREFUSED' });
    const expired = { class: 'config', code: 'CERT_HAS_EXPIRED' };
    for (const code of ['ESOCKET', 'ETLS'])
      expect(failureOf({ code, originalCode: expired.code })).to.include(expired);
  });

  it('is that of the failure itself, as where there was no token for the login', () => {
    const failure = new DeliveryFailure({ class: 'config', code: 'x', message: 'no token' });
    for (const error of [failure, new SmtpFailure(false, smtpError({ code: 'EAUTH', cause: failure }))])
      expect(smtpFailureOf(error, asItIs)).to.equal(failure);
  });

  it('is transient for an error that tells nothing', () => {
    const nothing = { class: 'transient', code: 'network_error', mayHaveArrived: true };
    for (const odd of ['odd', undefined]) expect(smtpFailureOf(odd, asItIs)).to.include(nothing);
    expect(failureOf({ code: 'constructor' })).to.include({ class: 'transient' });
  });
});

describe('a mail that was not confirmed', () => {
  const failureAt = (isHandedOver: boolean, cause: Error): DeliveryFailure =>
    smtpFailureOf(new SmtpFailure(isHandedOver, cause), asItIs);
  const causes = [
    Object.assign(smtpError({ code: 'EABORT' }), { cause: new DOMException('late', 'TimeoutError') }),
    smtpError({ code: 'ETIMEDOUT' }),
    smtpError({ code: 'ECONNECTION' }),
    smtpError({ code: 'ESOCKET', originalCode: 'ECONNRESET' }),
    smtpError({ code: 'EVERYTHING_ELSE' }),
  ];

  it('may have arrived once its end was sent, and was not sent before that', () => {
    for (const cause of causes) {
      expect(failureAt(true, cause).message).to.contain('may have arrived');
      expect(failureAt(true, cause).japanese).to.contain('届いている可能性');
      expect(failureAt(false, cause).message).to.contain('Nothing was sent').and.not.contain('arrived');
      expect(failureAt(false, cause).japanese).to.contain('送信されていません').and.not.contain('届いて');
    }
  });

  it('was not sent where the server hung up in the TLS handshake after STARTTLS', () => {
    const failure = failureAt(false, smtpError({ code: 'ETLS', command: 'CONN' }));
    expect(failure).to.include({ class: 'transient', code: 'ECONNRESET', mayHaveArrived: false });
    expect(failure.message).to.contain('TLS handshake').and.contain('Nothing was sent');
    const other = failureAt(false, smtpError({ code: 'EPROTOCOL', command: 'CONN' }));
    expect(other).to.include({ class: 'config', code: 'EPROTOCOL' });
  });
});
