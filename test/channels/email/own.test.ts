import { expect } from 'chai';
import type { RenderedParts, ValuePlace } from '../../../src/channels/channel.ts';
import { emailFormat, type EmailMessage, MOST_BYTES } from '../../../src/channels/email/format.ts';
import { ownMails, placeInHtml } from '../../../src/channels/email/format.ts';
import { cardWith } from '../../support/cards.ts';

const composed = (parts: RenderedParts, card = cardWith()) => ownMails.compose(parts, card);
const compose = (parts: RenderedParts, card = cardWith()): EmailMessage => composed(parts, card).message;

describe('an own mail', () => {
  it('has its own subject, text and HTML, on one line, tidied, and as it is', () => {
    const own = { subject: ' a\nb ', text: '\na  \n\n\n\nb\n\n', html: '<p>x</p>\n' };
    expect(compose(own)).to.deep.equal({ subject: 'a b', text: 'a\n\nb\n', html: '<p>x</p>' });
  });

  it('takes what it leaves out from the card, and is its text alone where HTML is left out or would be clipped', () => {
    const subject = cardWith().summary;
    expect(compose({ text: 'a < b' })).to.deep.equal({ subject, text: 'a < b\n', html: '' });
    expect(composed({ text: 'a < b' }).asHtml()).to.match(/^<pre [^>]*>a &lt; b\n<\/pre>$/);
    expect(compose({ html: '<p>x</p>' }).text).to.include('no such element');
    const clipped = compose({ text: 'the text', html: `<p>${'x'.repeat(MOST_BYTES)}</p>` });
    expect(clipped).to.include({ text: 'the text\n', html: '' });
  });

  it('keeps both ends of a text that is too long', () => {
    const { text } = compose({ text: `BOT a\n${'<あ\n'.repeat(30_000)}Job 1` });
    expect(Buffer.byteLength(text)).to.be.at.most(MOST_BYTES);
    expect(text).to.match(/BOT a[^]*[\d,]+ characters left out[^]*Job 1/);
  });

  it('escapes a value by its part: a line, a text, or HTML that keeps its lines', () => {
    const escaped = (part: string) => ownMails.textAt([part]).escape('a <b>\n"c"');
    const each = ['a <b> "c"', 'a <b>\n"c"', 'a &lt;b&gt;<br>&quot;c&quot;'];
    expect(['subject', 'text', 'html'].map(escaped)).to.deep.equal(each);
  });
});

describe('the format of mails', () => {
  it('reads on a terminal as subject and text, in a browser as its HTML', () => {
    const { title, message, asText, asHtml } = emailFormat.compose(cardWith({ summary: '<s>' }));
    expect([title, asText()]).to.deep.equal(['<s>', `<s>\n\n${message.text}`.trimEnd()]);
    expect(asHtml()).to.equal(message.html);
  });
});

/** Where `{{ x }}` stands; `{{ y }}` is another value. */
const PLACES: readonly (readonly [template: string, place: ValuePlace])[] = [
  ['<p>{{ x }}</p>', 'text'],
  ["<td title='{{ x }}'>", 'text'],
  ['<td title="a > b">{{ x }}', 'text'],
  ['1 < 2 {{ x }}', 'text'],
  ['<!-- y --><p>{{ x }}', 'text'],
  ['<style>p { color: red }</style><p>{{ x }}', 'text'],
  ['<a href="{{ x }}">', 'address'],
  ["<A HREF=' {{ x }} '>", 'address'],
  ['<a href="https://a.test/{{ x }}">', 'nowhere'],
  ['<a href="{{ x }}/more">', 'nowhere'],
  ['<a href="{{ y }}{{ x }}">', 'nowhere'],
  ['<a href="javascript:{{ x }}">', 'nowhere'],
  ['<a href={{ x }}>', 'nowhere'],
  ['<img src="{{ x }}">', 'nowhere'],
  ['<p style="color:{{ x }}">', 'nowhere'],
  ['<a {{ x }}>', 'nowhere'],
  ['<{{ x }}>', 'nowhere'],
  ['<{{ y }} {{ x }}>', 'nowhere'],
  ['</{{ x }}>', 'nowhere'],
  ['<p onclick="f({{ x }})">', 'nowhere'],
  ['<iframe srcdoc="{{ x }}">', 'nowhere'],
  ['<meta http-equiv="refresh" content="0;url={{ x }}">', 'nowhere'],
  ['<!-- {{ x }} -->', 'nowhere'],
  ['<!--[if !mso]><!--><p>{{ x }}', 'text'],
  ['<!--><p id={{ x }}>', 'nowhere'],
  ['<![CDATA[ {{ x }} ]]>', 'nowhere'],
  ['<a href="https://a.test/?q="{{ x }}">', 'nowhere'],
  ['<p title="a" id="{{ x }}">', 'text'],
  ['<p title="a"id="{{ x }}">', 'text'],
  ['<p title="a" "{{ x }}">', 'nowhere'],
  ['<p title = a = "{{ x }}">', 'nowhere'],
  ['<p"id="{{ x }}">', 'nowhere'],
  ['<script>var a = "{{ x }}";</script>', 'nowhere'],
  ['<style>p { {{ x }} }</style>', 'nowhere'],
];

describe('where a value stands in the HTML of an own mail', () => {
  for (const [template, place] of PLACES)
    it(`is ${place} in ${template}`, () => {
      const [before = '', behind = ''] = template.replace('{{ y }}', '\u0001').split('{{ x }}');
      expect(placeInHtml(before, behind)).to.equal(place);
    });
});
