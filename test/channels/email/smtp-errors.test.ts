import { expect } from 'chai';
import * as fc from 'fast-check';
import { DeliveryFailure } from '../../../src/channels/failure.ts';
import {
  timeoutError,
  smtpFailureOf,
  type SmtpPhase,
  SmtpFailure,
  smtpMeaningOf,
} from '../../../src/channels/email/smtp-errors.ts';
import { secretsHidden } from '../../../src/text/hide-secrets.ts';

const asItIs = (words: string): string => words;
const smtpError = (fields: object): Error => Object.assign(new Error('refused'), fields);
const failureOf = (fields: object): DeliveryFailure =>
  smtpFailureOf(smtpError(fields), secretsHidden(['hunter2']));

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
      expect(smtpMeaningOf(responseCode, command)[0]).to.equal(failureClass);
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
    ['ENOAUTH', 'config'],
    ['EOAUTH2', 'config'],
    ['ETLS', 'config'],
    ['ECONFIG', 'config'],
    ['EPROTOCOL', 'config'],
    ['EENVELOPE', 'permanent'],
    ['EMESSAGE', 'permanent'],
    ['ECONNECTION', 'transient'],
    ['ESOCKET', 'transient'],
    ['EDNS', 'transient'],
    ['ETIMEDOUT', 'transient'],
    ['EABORT', 'transient'],
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
  const BEFORE: SmtpPhase[] = ['waiting', 'connecting', 'greeting', 'login', 'idle', 'envelope', 'transfer'];
  const wordsAt = (reached: SmtpPhase, cause: unknown): string =>
    smtpFailureOf(new SmtpFailure(reached, cause), asItIs).message;
  const causes = [
    timeoutError(),
    smtpError({ code: 'ETIMEDOUT' }),
    smtpError({ code: 'ECONNECTION' }),
    smtpError({ code: 'ESOCKET', originalCode: 'ECONNRESET' }),
    smtpError({ code: 'EVERYTHING_ELSE' }),
  ];

  it('may have arrived once its end was sent', () => {
    for (const cause of causes) expect(wordsAt('message', cause)).to.contain('may have arrived');
  });

  it('has not been sent before that', () => {
    for (const reached of BEFORE) {
      for (const cause of causes) {
        expect(wordsAt(reached, cause), reached).to.contain('nothing was sent').and.not.contain('arrived');
      }
    }
  });

  it('is refused as before where the server answered, however far it got', () => {
    const refusal = smtpError({ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 });
    for (const reached of BEFORE) {
      expect(smtpFailureOf(new SmtpFailure(reached, refusal), asItIs)).to.include({
        class: 'config',
        code: '535',
      });
    }
  });
});

describe('the words of a mail server', () => {
  const wordsOf = (command: string, response: string): string =>
    failureOf({ command, response, responseCode: 550 }).message;

  it('are quoted on one line, cut, and without a secret', () => {
    expect(wordsOf('RCPT TO', '550-5.1.1 no\r\n550 such\u0007 user hunter2')).to.contain(
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
          expect(wordsOf(command, `550 ${before}hunter2${after}`)).not.to.contain('hunter2');
        },
      ),
    );
  });
});
