import { expect } from 'chai';
import fc from 'fast-check';
import { linesAsHtml, textAsHtml } from '../../../src/channels/email/markup.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};

/** As a browser shows it: runs of blanks are one, but for those that do not break. */
function shown(html: string): string {
  return html
    .replace(/ {2,}/g, ' ')
    .replace(/<br> | <br>|^ | $/g, (edge) => edge.trim())
    .replaceAll('<br>', '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(\w+|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}

describe('a text in a mail', () => {
  it('keeps the indentation of a stack trace', () => {
    const trace = 'Error: a  b\n\tat one (x.js:1)\n  at two\n   at three\n at four';
    expect(shown(textAsHtml(trace))).to.equal(trace.replace('\t', '    '));
    expect(textAsHtml('a\n    b\n c')).to.equal('a<br>&nbsp; &nbsp; b<br>&nbsp;c');
  });

  it('reads as it was sent, whatever it says', () => {
    const unit = fc.constantFrom(
      ' ',
      '  ',
      '\n',
      '\t',
      '<',
      '&',
      '"',
      "'",
      'a',
      'あ',
      'https://example.com/',
      '&nbsp;',
    );
    const texts = fc.array(unit).map((parts) => parts.join(''));
    const withoutEnds = (text: string) => text.replace(/ +$/gm, '');
    fc.assert(
      fc.property(texts, (text) => {
        for (const asHtml of [linesAsHtml, textAsHtml])
          expect(withoutEnds(shown(asHtml(text)))).to.equal(withoutEnds(text.replaceAll('\t', '    ')));
      }),
    );
  });

  it('holds each address as a link that shows it', () => {
    expect(textAsHtml('<https://example.com/a?b=c&d="e">')).to.match(
      /^&lt;<a href="https:\/\/example\.com\/a\?b=c&amp;d=" style="[^"]*">https:\/\/example\.com\/a\?b=c&amp;d=<\/a>&quot;e&quot;&gt;$/,
    );
    expect(linesAsHtml('https://example.com/')).to.equal('https://example.com/');
  });
});
