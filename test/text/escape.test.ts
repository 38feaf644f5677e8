/** Foreign text is shown as it is and does nothing, wherever it lands. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { Escaped, escapeCode, escapeFor } from '../../src/text/escape.ts';
import type { Landing } from '../../src/text/landing.ts';
import { hostileText } from './hostile-text.ts';

const WORD_JOINER = '\u2060';
const mrkdwn = escapeFor('mrkdwn');
const plain = escapeFor('plain');

/** What a remote that decodes entities shows. */
function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

describe('escapeFor mrkdwn', () => {
  it('turns exactly & < > into entities, and each once', () => {
    expect(mrkdwn('<!channel> a & b "c" &amp;')).to.equal('&lt;!channel&gt; a &amp; b "c" &amp;amp;');
  });

  it('replaces formatting marks by look-alikes', () => {
    expect(mrkdwn('*bold* _it_ ~gone~ `code`')).to.equal('∗bold∗ ˍitˍ ∼gone∼ ˋcodeˋ');
  });

  it('leaves marks between two word characters, where Slack reads no formatting', () => {
    expect(mrkdwn('order_no 2*3 日本_語 a~b')).to.equal('order_no 2*3 日本_語 a~b');
    expect(mrkdwn('a**b a_ _b')).to.equal('a∗∗b aˍ ˍb');
  });

  it('breaks emoji codes but no times of day', () => {
    expect(mrkdwn(':smile: 10:30:45 :+1: a:b:c')).to.equal(
      `:${WORD_JOINER}smile: 10:30:45 :${WORD_JOINER}+1: a:${WORD_JOINER}b:c`,
    );
    expect(mrkdwn(':wave::skin-tone-2:')).to.equal(`:${WORD_JOINER}wave::${WORD_JOINER}skin-tone-2:`);
  });

  it('breaks mentions that Slack links by itself', () => {
    expect(mrkdwn('@here @Channel @everyone a@example.com')).to.equal(
      `@${WORD_JOINER}here @${WORD_JOINER}Channel @${WORD_JOINER}everyone a@example.com`,
    );
  });

  it('cleans first, so that no invisible character hides a mention', () => {
    expect(mrkdwn('@\u200bhere \u202e<')).to.equal(`@${WORD_JOINER}here &lt;`);
  });

  it('holds no live control sequence, mark, emoji code or mention, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const escaped = mrkdwn(text);
        expect(escaped).not.to.match(/[<>`]|&(?!(?:amp|lt|gt);)/);
        expect(escaped).not.to.match(/(?:^|[^\p{L}\p{N}])[*_~]|[*_~](?:$|[^\p{L}\p{N}])/u);
        expect(escaped).not.to.match(/:[a-z0-9_+'-]*[a-z][a-z0-9_+'-]*:/);
        expect(escaped).not.to.match(/@(?:here|channel|everyone)/i);
        expect(escaped.isWellFormed()).to.equal(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes a megabyte of colons, marks or brackets without slowing down', () => {
    for (const unit of [':a', '*', '<', '@here', ':1', 'a_']) {
      expect(mrkdwn(unit.repeat(300_000))).to.be.a('string');
    }
    expect(mrkdwn(`:${'a'.repeat(1_000_000)}`)).to.have.length(1_000_001);
  });
});

describe('escapeFor plain', () => {
  it('holds neither brackets nor entities', () => {
    expect(plain('<!here> & <b> &lt;')).to.equal(`‹!here› & ‹b› &${WORD_JOINER}lt;`);
  });

  it('leaves formatting marks and emoji codes, which nothing reads there', () => {
    expect(plain('*a* `b` :smile:')).to.equal('*a* `b` :smile:');
  });

  it('holds no bracket, entity or mention, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        expect(plain(text)).not.to.match(/[<>]|&(?:amp|lt|gt);|@(?:here|channel|everyone)/i);
      }),
    );
  });
});

describe('escapeFor the other landings', () => {
  it('escapes HTML for content and quoted attributes', () => {
    expect(escapeFor('html')(`<a href="x" title='y'>&\u0000`)).to.equal(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;',
    );
  });

  it('leaves plain text as it is but clean', () => {
    expect(escapeFor('text')('<b>\r\n\u0007*x*')).to.equal('<b>\n*x*');
  });

  it('makes one line of text for a header', () => {
    expect(escapeFor('line')('h-1\r\nX-Evil: 1')).to.equal('h-1 X-Evil: 1');
  });

  it('encodes a part of a URL, lone surrogates and apostrophes included', () => {
    expect(escapeFor('url')(`a/b ?|>'\ud83d`)).to.equal('a%2Fb%20%3F%7C%3E%27%EF%BF%BD');
  });

  it('never throws and never lets markup through to HTML, whatever the text', () => {
    const landings: Landing[] = ['html', 'text', 'line', 'url'];
    fc.assert(
      fc.property(hostileText(), fc.constantFrom(...landings), (text, landing) => {
        const escaped = escapeFor(landing)(text);
        if (landing === 'html') expect(escaped).not.to.match(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
        if (landing === 'line') expect(escaped).not.to.match(/[\r\n]/);
        if (landing === 'url') expect(escaped).to.match(/^[\w\-.!~*()%]*$/);
      }),
    );
  });
});

describe('escapeCode', () => {
  it('keeps what is inert inside code as it was, so that it can be copied', () => {
    expect(escapeCode('rm -rf *_tmp_* ~ :smile:')).to.equal('rm -rf *_tmp_* ~ :smile:');
  });

  it('lets nothing end the code, and nothing mention anybody', () => {
    expect(escapeCode('```<!here> & @here')).to.equal(`ˋˋˋ&lt;!here&gt; &amp; @${WORD_JOINER}here`);
  });

  it('is the clean text once decoded, but for backticks and mentions', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const escaped = escapeCode(text);
        expect(escaped).not.to.match(/[<>`]|&(?!(?:amp|lt|gt);)|@(?:here|channel|everyone)/i);
        expect(decoded(escaped).replaceAll(WORD_JOINER, '')).to.equal(
          escapeFor('text')(text).replaceAll('`', 'ˋ'),
        );
      }),
    );
  });
});

describe('Escaped', () => {
  it('carries its text unchanged', () => {
    expect(new Escaped('<b>').text).to.equal('<b>');
  });
});
