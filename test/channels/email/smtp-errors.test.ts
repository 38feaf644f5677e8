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
  for (const [responseCode, command, failureClass] of [
    [421, 'CONN', 'transient'],
    [554, 'CONN', 'config'],
    [500, 'EHLO', 'config'],
    [454, 'AUTH PLAIN', 'transient'],
    [535, 'AUTH PLAIN', 'config'],
    [550, 'AUTH LOGIN', 'config'],
    [451, 'MAIL FROM', 'transient'],
    [530, 'MAIL FROM', 'config'],
    [550, 'MAIL FROM', 'config'],
    [552, 'MAIL FROM', 'permanent'],
    [450, 'RCPT TO', 'transient'],
    [503, 'RCPT TO', 'transient'],
    [530, 'RCPT TO', 'config'],
    [550, 'RCPT TO', 'permanent'],
    [553, 'RCPT TO', 'permanent'],
    [452, 'DATA', 'transient'],
    [552, 'DATA', 'permanent'],
    [554, 'DATA', 'permanent'],
    [250, 'DATA', 'transient'],
  ] as const) {
    it(`is ${failureClass} for ${responseCode} to ${command}`, () => {
      expect(failureOf({ code: 'EAUTH', command, responseCode })).to.include({
        class: failureClass,
        code: String(responseCode),
      });
    });
  }
});

describe('the meaning of a mail error without an answer', () => {
  for (const [code, failureClass] of [
    ['EAUTH', 'config'],
    ['ETLS', 'config'],
    ['EPROTOCOL', 'config'],
    ['EENVELOPE', 'permanent'],
    ['EMESSAGE', 'permanent'],
    ['ESOCKET', 'transient'],
    ['EDNS', 'transient'],
    ['ETIMEDOUT', 'transient'],
    ['EVERYTHING_ELSE', 'transient'],
  ] as const) {
    it(`is ${failureClass} for ${code}`, () => {
      expect(failureOf({ code })).to.include({ class: failureClass, code });
    });
  }

  it('is told by the system’s code where there is one', () => {
    expect(failureOf({ code: 'ESOCKET', originalCode: 'ECONNREFUSED' })).to.include({ code: 'ECONNREFUSED' });
    expect(failureOf({ code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' })).to.include({ class: 'config' });
  });

  it('is transient for an error that tells nothing', () => {
    expect(smtpFailureOf('odd', asItIs)).to.include({ class: 'transient', code: 'network_error' });
    expect(failureOf({ code: 'constructor' })).to.include({ class: 'transient' });
  });

  it('stays what it is where it has been found before', () => {
    const failure = new DeliveryFailure({ class: 'config', code: 'x', message: 'X.' });
    expect(smtpFailureOf(failure, asItIs)).to.equal(failure);
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

  it('are left out after the login and after the message, but for the codes', () => {
    for (const command of ['AUTH PLAIN', 'DATA']) {
      expect(wordsOf(command, '550 5.7.1 WORDS')).to.contain('550 5.7.1').and.not.contain('WORDS');
    }
  });

  it('never show a secret, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('RCPT TO', 'MAIL FROM', 'CONN'),
        (before, after, command) => {
          expect(wordsOf(command, `550 ${before}hunter22${after}`)).not.to.contain('hunter22');
        },
      ),
    );
  });
});
