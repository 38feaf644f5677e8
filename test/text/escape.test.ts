/** Foreign text is shown as it is and does nothing, whatever markup it is printed in. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { MARKUPS } from '../support/markups.ts';
import { hostileText } from './hostile-text.ts';

describe('a foreign text', () => {
  it('escapes HTML for content and quoted attributes', () => {
    expect(MARKUPS.html.escape(`<a href="x" title='y'>&\u0000`)).to.equal(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;',
    );
  });

  it('leaves plain text as it is but clean', () => {
    expect(MARKUPS.text.escape('<b>\r\n\u0007*x*')).to.equal('<b>\n*x*');
  });

  it('makes one line of text for a header', () => {
    expect(MARKUPS.line.escape('h-1\r\nX-Evil: 1')).to.equal('h-1 X-Evil: 1');
  });

  it('encodes a part of a URL, lone surrogates and apostrophes included', () => {
    expect(MARKUPS.url.escape(`a/b ?|>'\ud83d`)).to.equal('a%2Fb%20%3F%7C%3E%27%EF%BF%BD');
  });

  it('never throws and never lets markup through to HTML, whatever the text', () => {
    const markups = ['html', 'text', 'line', 'url'] as const;
    fc.assert(
      fc.property(hostileText(), fc.constantFrom(...markups), (text, markup) => {
        const escaped = MARKUPS[markup].escape(text);
        if (markup === 'html') expect(escaped).not.to.match(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
        if (markup === 'line') expect(escaped).not.to.match(/[\r\n]/);
        if (markup === 'url') expect(escaped).to.match(/^[\w\-.!~*()%]*$/);
      }),
    );
  });
});
