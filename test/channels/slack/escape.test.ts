/** Foreign text is shown as it is in Slack's markups and does nothing. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { escapeCode, escapeMrkdwn, escapePlain } from '../../../src/channels/slack/markup.ts';
import { cleanText } from '../../../src/text/clean.ts';
import { hostileText } from '../../text/hostile-text.ts';

const WORD_JOINER = '\u2060';

/** What a remote that decodes entities shows. */
function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

describe('escapeMrkdwn', () => {
  it('turns exactly & < > into entities, and each once', () => {
    expect(escapeMrkdwn('<!channel> a & b "c" &amp;')).to.equal('&lt;!channel&gt; a &amp; b "c" &amp;amp;');
  });

  it('replaces formatting marks by look-alikes', () => {
    expect(escapeMrkdwn('*bold* _it_ ~gone~ `code`')).to.equal('∗bold∗ ˍitˍ ∼gone∼ ˋcodeˋ');
  });

  it('leaves marks between two word characters, where Slack reads no formatting', () => {
    expect(escapeMrkdwn('order_no 2*3 日本_語 a~b')).to.equal('order_no 2*3 日本_語 a~b');
    expect(escapeMrkdwn('a**b a_ _b')).to.equal('a∗∗b aˍ ˍb');
  });

  it('breaks emoji codes but no times of day', () => {
    expect(escapeMrkdwn(':smile: 10:30:45 :+1: a:b:c')).to.equal(
      `:${WORD_JOINER}smile: 10:30:45 :${WORD_JOINER}+1: a:${WORD_JOINER}b:c`,
    );
    expect(escapeMrkdwn(':wave::skin-tone-2:')).to.equal(`:${WORD_JOINER}wave::${WORD_JOINER}skin-tone-2:`);
  });

  it('breaks mentions that Slack links by itself', () => {
    expect(escapeMrkdwn('@here @Channel @everyone a@example.com')).to.equal(
      `@${WORD_JOINER}here @${WORD_JOINER}Channel @${WORD_JOINER}everyone a@example.com`,
    );
  });

  it('cleans first, so that no invisible character hides a mention', () => {
    expect(escapeMrkdwn('@\u200bhere \u202e<')).to.equal(`@${WORD_JOINER}here &lt;`);
  });

  it('holds no live control sequence, mark, emoji code or mention, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const escaped = escapeMrkdwn(text);
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
      expect(escapeMrkdwn(unit.repeat(300_000))).to.be.a('string');
    }
    expect(escapeMrkdwn(`:${'a'.repeat(1_000_000)}`)).to.have.length(1_000_001);
  });
});

describe('escapePlain', () => {
  it('holds neither brackets nor entities', () => {
    expect(escapePlain('<!here> & <b> &lt;')).to.equal(`‹!here› & ‹b› &${WORD_JOINER}lt;`);
  });

  it('leaves formatting marks and emoji codes, which nothing reads there', () => {
    expect(escapePlain('*a* `b` :smile:')).to.equal('*a* `b` :smile:');
  });

  it('holds no bracket, entity or mention, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        expect(escapePlain(text)).not.to.match(/[<>]|&(?:amp|lt|gt);|@(?:here|channel|everyone)/i);
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
        expect(decoded(escaped).replaceAll(WORD_JOINER, '')).to.equal(cleanText(text).replaceAll('`', 'ˋ'));
      }),
    );
  });
});
