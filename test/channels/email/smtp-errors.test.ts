import { expect } from 'chai';
import * as fc from 'fast-check';
import { DeliveryFailure } from '../../../src/channels/failure.ts';
import { smtpFailureOf, SmtpFailure } from '../../../src/channels/email/smtp-errors.ts';
import { secretsHidden } from '../../../src/text/hide-secrets.ts';

const asItIs = (words: string): string => words;
const smtpError = (fields: object): Error => Object.assign(new Error('refused'), fields);
const failureOf = (fields: object): DeliveryFailure =>
  smtpFailureOf(smtpError(fields), secretsHidden(['hunter22']));

describe('the meaning of an SMTP answer', () => {
  for (const [failureClass, answers] of [
    [
      'transient',
      '421 CONN, 454 AUTH PLAIN, 451 MAIL FROM, 450 RCPT TO, 503 RCPT TO, 452 DATA, 250 DATA, 454 STARTTLS',
    ],
    [
      'config',
      '554 CONN, 500 EHLO, 535 AUTH PLAIN, 550 AUTH LOGIN, 530 MAIL FROM, 550 MAIL FROM, 530 RCPT TO, 502 STARTTLS',
    ],
    ['permanent', '552 MAIL FROM, 550 RCPT TO, 553 RCPT TO, 552 DATA, 554 DATA'],
  ] as const)
    for (const answer of answers.split(', '))
      it(`is ${failureClass} for ${answer}`, () => {
        const [code = '', command] = answer.split(/ (.*)/);
        const failure = failureOf({ code: 'EAUTH', command, responseCode: Number(code) });
        expect(failure).to.include({ class: failureClass, code });
      });
});

describe('the enhanced code of an SMTP answer', () => {
  const judged = (answers: readonly string[], command: string) =>
    answers.map((response) => failureOf({ command, response, responseCode: Number(response.slice(0, 3)) }));

  for (const [answer, command, failureClass, words] of [
    [
      '554 5.2.252 SendAsDenied; bot@example.com not allowed to send as alerts@example.com',
      'DATA',
      'config',
      'sender',
    ],
    ['550 5.7.60 SMTP; Client does not have permissions to send as this sender', 'DATA', 'config', 'sender'],
    ['550 5.4.5 Daily user sending limit exceeded', 'DATA', 'rate_limited', 'limit'],
    ['550 5.7.233 Your tenant exceeded its daily limit', 'MAIL FROM', 'rate_limited', 'limit'],
    ['550 5.1.90 You have reached your daily limit', 'RCPT TO', 'rate_limited', 'limit'],
    ['552 5.3.4 Message size exceeds fixed limit', 'DATA', 'permanent', 'too large'],
    ['550 5.2.3 too long for this mailbox', 'RCPT TO', 'permanent', 'too large'],
    ['554 5.7.1 <ops@example.com>: Relay access denied', 'RCPT TO', 'config', 'relay'],
    ['554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked', 'RCPT TO', 'config', 'block list'],
    ['552 5.2.2 <ops@example.com>: mailbox full', 'RCPT TO', 'transient', 'full'],
    ['550 5.2.2 over quota', 'DATA', 'transient', 'full'],
    ['550-5.1.1 no such user\n550 5.1.1 look again', 'DATA', 'permanent', 'this address'],
    ['553 5.1.8 sender rejected', 'RCPT TO', 'config', 'sender'],
    ['550 5.1.7 bad sender', 'MAIL FROM', 'config', 'sender'],
    ['550-5.7.26 unauthenticated sender', 'DATA', 'config', 'SPF'],
    ['550 5.7.515 Access denied', 'DATA', 'config', 'DKIM'],
    ['530 5.7.57 Client was not authenticated', 'MAIL FROM', 'config', 'login'],
    ['535 5.7.3 Authentication unsuccessful', 'AUTH PLAIN', 'config', 'password'],
    ['535 5.7.139 Authentication unsuccessful', 'AUTH PLAIN', 'config', 'oauth'],
    ['550 5.7.30 Basic authentication is not supported', 'MAIL FROM', 'config', 'connector'],
    ['554 5.7.1 Client host [192.0.2.7] blocked', 'CONN', 'config', 'refuses this machine'],
    ['550 4.7.1 greylisted', 'RCPT TO', 'transient', 'next attempt'],
    ['554 5.5.0 no', 'DATA', 'permanent', 'refused as it is'],
  ] as const) {
    it(`makes "${answer.slice(0, 40)}" to ${command} ${failureClass}, and the words are quoted`, () => {
      const [failure] = judged([answer], command);
      expect(failure).to.include({ class: failureClass });
      expect(failure?.message).to.contain(words).and.contain(answer.replace('\n', ' '));
    });
  }

  it('pauses the whole channel for an hour where the sender has reached a limit', () => {
    for (const failure of judged(['550 5.4.5 limit', '550 5.7.233 limit'], 'DATA'))
      expect(failure).to.include({ concerns: 'channel', retryAfterMs: 3_600_000 });
  });

  it('leaves other addresses alone where it concerns one recipient', () => {
    for (const failure of judged(['550 5.1.1 x', '552 5.2.2 x'], 'DATA'))
      expect(failure).to.include({ concerns: 'address' });
  });
});

describe('a server without encryption', () => {
  it('is told the cure, whichever way it says so', () => {
    for (const [command, response] of [
      ['STARTTLS', '502 5.5.1 command not implemented'],
      ['EHLO', '500 unknown command'],
    ])
      expect(failureOf({ code: 'ETLS', command, response, responseCode: 500 }).message).to.contain(
        '?ignoreTLS=true',
      );
  });
});

describe('the meaning of a mail error without an answer', () => {
  for (const [failureClass, codes] of [
    ['config', ['EAUTH', 'ETLS', 'EPROTOCOL']],
    ['permanent', ['EENVELOPE', 'EMESSAGE']],
    ['transient', ['ESOCKET', 'EDNS', 'ETIMEDOUT', 'EVERYTHING_ELSE']],
  ] as const)
    it(`is ${failureClass} for ${codes.join(', ')}`, () => {
      for (const code of codes) expect(failureOf({ code })).to.include({ class: failureClass, code });
    });

  it('is told by the system’s code where there is one', () => {
    expect(failureOf({ code: 'ESOCKET', originalCode: 'ECONNREFUSED' })).to.include({ code: 'ECONNREFUSED' });
    expect(failureOf({ code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' })).to.include({ class: 'config' });
  });

  it('is transient for an error that tells nothing', () => {
    expect(smtpFailureOf('odd', asItIs)).to.include({ class: 'transient', code: 'network_error' });
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

  it('has the pause before a greeting, and the settings, named where nothing came in time', () => {
    const failure = failureAt(false, smtpError({ code: 'ETIMEDOUT' }));
    expect(failure.message)
      .to.contain('greeting')
      .and.contain('delivery.timeout')
      .and.contain('greetingTimeout');
    expect(failure.japanese).to.contain('greeting').and.contain('delivery.timeout');
  });

  it('was not sent where the server hung up in the TLS handshake after STARTTLS', () => {
    const failure = failureAt(false, smtpError({ code: 'ETLS', command: 'CONN' }));
    expect(failure).to.include({ class: 'transient', code: 'ECONNRESET', mayHaveArrived: false });
    expect(failure.message).to.contain('TLS handshake').and.contain('Nothing was sent');
  });

  it('is refused as before where the server answered, however far it got', () => {
    const refusal = smtpError({ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 });
    for (const isHandedOver of [true, false]) {
      expect(failureAt(isHandedOver, refusal)).to.include({ class: 'config', code: '535' });
    }
  });
});

describe('a refusal of a mail', () => {
  it('concerns the address where the server refuses the recipient, and else the channel', () => {
    const concernOf = (command: string) => failureOf({ command, responseCode: 550, response: '' }).concerns;
    expect(['RCPT TO', 'MAIL FROM', 'DATA', 'EHLO'].map(concernOf)).to.deep.equal([
      'address',
      'channel',
      'channel',
      'channel',
    ]);
  });

  it('is told in Japanese, with the server’s own words', () => {
    const { japanese } = failureOf({
      command: 'RCPT TO',
      responseCode: 550,
      response: '550 5.1.1 no such user',
    });
    expect(japanese).to.equal(
      'メールサーバーの応答 "550 5.1.1 no such user"（RCPT TO）: この宛先には配送できません。アドレスを確認してください。',
    );
    for (const code of ['EAUTH', 'ETLS', 'EPROXY', 'EPROTOCOL', 'EENVELOPE', 'EMESSAGE'])
      expect(failureOf({ code }).japanese, code)
        .to.match(/^メールサーバー: .*。$/)
        .and.not.match(/[a-z]{2,} [a-z]{2,}/);
  });
});

describe('the words of a mail server', () => {
  const wordsOf = (command: string, response: string): string =>
    failureOf({ command, response, responseCode: 550 }).message;

  it('are quoted on one line, cut, and without a secret', () => {
    expect(wordsOf('RCPT TO', '550-5.1.1 no\r\n550 such\u0007 user hunter22')).to.contain(
      '"550-5.1.1 no 550 such user [secret]"',
    );
    expect(wordsOf('RCPT TO', `550 ${'x'.repeat(9_000)}`).length).to.be.below(400);
  });

  it('never show a secret, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('RCPT TO', 'MAIL FROM', 'CONN', 'AUTH PLAIN', 'DATA'),
        (before, after, command) => {
          expect(wordsOf(command, `550 ${before}hunter22${after}`)).not.to.contain('hunter22');
        },
      ),
    );
  });
});
