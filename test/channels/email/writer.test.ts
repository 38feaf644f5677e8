import { expect } from 'chai';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { type Letter, type Mailbox, mailWriterFor } from '../../../src/channels/email/writer.ts';

const MESSAGE = { subject: 'Get items failed', text: 'the text\n', html: '<p>the text</p>' };

const FROM = { name: 'BOT alerts', address: 'alerts@example.com' };

function write({ message, ...others }: Partial<Letter> = {}, from: Mailbox = FROM): string {
  return mailWriterFor(from)({
    to: { name: '', address: 'ops@example.com' },
    messageId: `<${'f'.repeat(64)}@example.com>`,
    message: { ...MESSAGE, ...message },
    ...others,
  });
}

const headersIn = (mail: string): string => mail.slice(0, mail.indexOf('\r\n\r\n'));

/** The end of the last line is the reader's own. */
const linesOf = (text = ''): string[] => text.trimEnd().split(/\r?\n/);

describe('a mail as it is written', () => {
  it('is read as it was meant, whatever it says', async () => {
    const unit = fc.constantFrom(
      'あ',
      '<',
      '=',
      '?',
      '.',
      '_',
      '-',
      ' ',
      '👨‍👩‍👧‍👦',
      'é',
      'a',
      'B',
      '"',
      '\n',
      '\u0000',
    );
    const words = fc.string({ unit, maxLength: 400 });
    const subjects = words.map((text) =>
      text
        .replace(/[\n\0]+/g, ' ')
        .replace(/ +/g, ' ')
        .trim(),
    );
    await fc.assert(
      fc.asyncProperty(subjects, words, words, async (subject, text, html) => {
        const parsed = await PostalMime.parse(write({ message: { subject, text, html } }));
        expect(parsed.subject ?? '').to.equal(subject);
        expect(linesOf(parsed.text)).to.deep.equal(linesOf(text));
        expect(linesOf(parsed.html)).to.deep.equal(linesOf(html));
      }),
    );
  });

  it('is ASCII in short lines that end as mail demands, whatever it says', () => {
    const lines = fc.string({
      unit: fc.constantFrom('長', 'x', '\n', '\r', '\r\n', '.', ' '),
      maxLength: 2000,
    });
    fc.assert(
      fc.property(lines, (text) => {
        const mail = write({ message: { subject: text, text, html: text } });
        expect(mail).to.match(/^(?:[\x20-\x7e]*\r\n)+$/);
        const longest = Math.max(...mail.split('\r\n').map(({ length }) => length));
        expect(longest).to.be.at.most(998);
        expect(mail).not.to.match(/^\./m);
      }),
    );
  });

  it('leaves a subject in ASCII readable for programs that look no further', () => {
    expect(headersIn(write())).to.contain('\r\nSubject: Get items failed\r\n');
  });

  it('shows a subject that looks encoded as it is', async () => {
    const subject = '[Failed] get: =?utf-8?B?W1N1Y2NlZWRlZF3igK5ISURERU4=?=';
    const parsed = await PostalMime.parse(write({ message: { subject, text: '', html: '' } }));
    expect(parsed.subject).to.equal(subject);
  });

  it('takes no header from a subject', () => {
    const mail = write({ message: { ...MESSAGE, subject: 'two\r\nBcc: evil@example.com\r\n\r\nlines' } });
    expect(headersIn(mail)).to.match(/^Subject: two Bcc: evil@example\.com {1,2}lines$/m);
  });

  it('says the sender’s name in any script, and domains as the DNS has them', async () => {
    const sender = { name: 'BOT「通知」, Inc.', address: 'alerts@例え.jp' };
    const mail = write({ to: { name: '', address: 'ops@例え.jp' } }, sender);
    expect(headersIn(mail)).to.contain('To: ops@xn--r8jz45g.jp');
    const { from } = await PostalMime.parse(mail);
    expect(from).to.deep.equal({ name: 'BOT「通知」, Inc.', address: 'alerts@xn--r8jz45g.jp' });
  });

  it('ends its lines alike in every part, whatever the template’s file ends them with', async () => {
    const { text } = await PostalMime.parse(write({ message: { ...MESSAGE, text: 'a\r\nb\nc' } }));
    expect(text?.trimEnd()).to.equal('a\r\nb\r\nc');
  });
});
