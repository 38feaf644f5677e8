import { expect } from 'chai';
import fc from 'fast-check';
import { emailFormat, MOST_BYTES } from '../../../src/channels/email/format.ts';
import type { EmailMessage } from '../../../src/channels/email/compose.ts';
import type { RenderedParts } from '../../../src/channels/channel.ts';
import type { Language } from '../../../src/time/display.ts';
import { nameOfMarkup } from '../../support/markups.ts';

function compose(parts: RenderedParts, language: Language = 'en'): EmailMessage {
  return emailFormat.compose(parts, { language, options: {}, isError: false });
}

describe('a mail', () => {
  it('escapes a value in the markup of its part', () => {
    const markups = ['subject', 'text', 'html'].map((part) => nameOfMarkup(emailFormat.markupOf([part], '')));
    expect(markups).to.deep.equal(['line', 'text', 'html']);
  });

  it('has a subject of one line, cut so that it shows', () => {
    expect(compose({ subject: ' a\r\nBcc: x@example.com \n' }).subject).to.equal('a Bcc: x@example.com');
    expect(compose({ subject: 'あ'.repeat(200) }).subject).to.equal(`${'あ'.repeat(149)}…`);
    expect(compose({ subject: '\n' }, 'ja').subject).to.equal('通知');
  });

  it('closes the gaps that left out parts leave in its text', () => {
    expect(compose({ text: '\na  \n\n\n\nb\n\n' }).text).to.equal('a\n\nb\n');
  });

  it('looks at each run of blanks in its text once, wherever it stands', () => {
    const { text } = compose({ text: `a${' \t'.repeat(100_000)}b \t\nc` });
    expect(text)
      .to.match(/^a \t/)
      .and.to.match(/ \tb\nc\n$/);
  });

  it('keeps its HTML as it is', () => {
    expect(compose({ text: 'x', html: '<p>x</p>\n' }).html).to.equal('<p>x</p>');
  });

  it('shows its text where HTML is left out', () => {
    expect(compose({ text: 'a < b' }).html).to.match(/^<pre [^>]*>a &lt; b\n<\/pre>$/);
  });

  it('shows its text where the HTML would be clipped', () => {
    const { html } = compose({ text: 'the text', html: `<p>${'x'.repeat(MOST_BYTES)}</p>` });
    expect(html)
      .to.match(/^<pre /)
      .and.to.include('the text');
  });

  it('keeps both ends of a text that is too long, for there it says what it is about', () => {
    const parts = { text: `BOT a\n${'あ\n'.repeat(30_000)}Job 1` };
    const { text, html } = compose(parts);
    expect(text).to.match(/^BOT a\n(?:あ\n)+\n… [\d,]+ characters left out …\n\n?(?:あ\n)+Job 1\n$/);
    expect(html).to.match(/>BOT a\n[^<]*characters left out[^<]*Job 1\n<\/pre>$/);
    expect(compose(parts, 'ja').text).to.match(/文字省略）……\n[あ\n]+Job 1\n$/);
  });

  it('is never clipped, whatever the text', () => {
    const unit = fc.constantFrom('あ', '<', "'", '👨‍👩‍👧‍👦', 'a', '\n');
    fc.assert(
      fc.property(
        fc.string({ unit, minLength: 20, maxLength: 60 }),
        fc.integer({ min: 1, max: 3000 }),
        (text, times) => {
          const message = compose({ subject: text, text: text.repeat(times) });
          expect(Buffer.byteLength(message.html)).to.be.at.most(MOST_BYTES);
          expect(Buffer.byteLength(message.text)).to.be.at.most(80_000);
          expect(message.html.isWellFormed() && message.text.isWellFormed()).to.equal(true);
          expect(message.subject).not.to.match(/[\r\n]/);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is found at fault where a part is no string', () => {
    const message = { subject: 5, text: 'x' } as unknown as EmailMessage;
    expect(emailFormat.inspect(message)).to.deep.equal([
      { path: ['subject'], message: '"subject" must be a string' },
    ]);
  });

  it('reads on a terminal as subject and text', () => {
    expect(emailFormat.asText({ subject: 's', text: 'a\nb\n', html: '' })).to.equal('s\n\na\nb');
  });

  it('reads in a browser as its HTML, which nothing is put before, under its subject', () => {
    const message = { subject: '<s>', text: '', html: '<!doctype html><p>x</p>' };
    expect(emailFormat.asHtml(message)).to.equal('<!doctype html><p>x</p>');
    expect(emailFormat.titleOf?.(message)).to.equal('<s>');
  });
});
