/** Text of Slack's markups is cut so that what is left is whole. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { cutMarkup } from '../../../src/channels/slack/limits.ts';
import { CHARACTERS, UTF8_BYTES } from '../../../src/text/cut.ts';
import { escapeCode, escapeMrkdwn } from '../../../src/channels/slack/markup.ts';
import { hostileText } from '../../text/hostile-text.ts';

const limits = fc.integer({ min: 0, max: 60 });

describe('cutMarkup', () => {
  it('never cuts inside an entity', () => {
    for (const limit of [3, 4, 5, 6])
      expect(cutMarkup('a&amp;bcdef', limit + 1, '…')).to.match(/^a(?:&amp;b?)?…$/);
    expect(cutMarkup('a&amp;bcdef', 7, '…')).to.equal('a&amp;…');
  });

  it('never cuts inside a link or mention', () => {
    const link = '<https://e.example/a?b=1&amp;c=2|label>';
    for (let limit = 3; limit <= link.length + 2; limit += 1) {
      expect(cutMarkup(`x ${link} y`, limit, '…')).to.equal('x …');
    }
    expect(cutMarkup(`x ${link} yyyy`, link.length + 4, '…')).to.equal(`x ${link} …`);
  });

  it('takes a bracket that opens nothing for a character', () => {
    expect(cutMarkup('a < bcdefgh', 6, '…')).to.equal('a < b…');
  });

  it('closes the fence that it cuts open', () => {
    expect(cutMarkup('log:\n```line one\nline two```\nend', 20, '…')).to.equal('log:\n```line one```…');
    expect(cutMarkup('```one``` and `two` three four', 24, '…')).to.equal('```one``` and `two` thr…');
  });

  it('closes the span that it cuts open', () => {
    expect(cutMarkup('ref `abcdefgh` end', 10, '…')).to.equal('ref `abc`…');
  });

  it('closes nothing that the text itself left open', () => {
    expect(cutMarkup('it`s abcdefgh', 8, '…')).to.equal('it`s ab…');
    expect(cutMarkup('it`s\nabcdefgh', 8, '…')).to.equal('it`s\nab…');
    expect(cutMarkup('``` abcdefgh', 8, '…')).to.equal('``` abc…');
  });

  it('never cuts a run of backticks apart', () => {
    expect(cutMarkup('ab```cdefgh``` ijk', 5, '…')).to.equal('ab…');
    expect(cutMarkup('```cdefgh``` ijk', 12, '…')).to.equal('```cdefg```…');
  });

  it('drops a mark that has no room', () => {
    expect(cutMarkup('abc&amp;def', 5, ' (shortened)')).to.equal('abc');
  });

  it('stays within the limit and keeps every entity and control whole, whatever the text', () => {
    const markup = fc
      .array(
        fc.oneof(
          hostileText(6).map(escapeMrkdwn),
          hostileText(6).map((text) => `\`\`\`${escapeCode(text)}\`\`\``),
          fc.constantFrom('<@U012AB3CD>', '<https://e.example|x>', '`a`', '*b*', '\n', '&amp;', '&lt;'),
        ),
        { maxLength: 8 },
      )
      .map((pieces) => pieces.join(' '));
    fc.assert(
      fc.property(markup, limits, fc.boolean(), (text, limit, isBytes) => {
        const cut = cutMarkup(text, limit, '…', isBytes ? UTF8_BYTES : CHARACTERS);
        expect(isBytes ? Buffer.byteLength(cut) : cut.length).to.be.at.most(limit);
        expect(cut.isWellFormed()).to.equal(true);
        expect(cut.replaceAll(/<[^<>]*>|&(?:amp|lt|gt);/g, '')).not.to.match(/[<>&]/);
        expect((cut.match(/```/g) ?? []).length % 2, cut).to.equal(0);
      }),
      { numRuns: 3000 },
    );
  });

  it('counts UTF-8 bytes where asked to', () => {
    expect(cutMarkup('日本&amp;語です', 14, '…', UTF8_BYTES)).to.equal('日本&amp;…');
    expect(cutMarkup('日本&amp;語です', 13, '…', UTF8_BYTES)).to.equal('日本…');
  });

  it('looks at no more of megabytes than it keeps', () => {
    const hostile = ['a', '日', '&', '<', '`', '👩\u200d', '🇯', '\u0301'].map((unit) => unit.repeat(500_000));
    for (const text of hostile) expect(cutMarkup(text, 3000, '…').length).to.be.at.most(3000);
  });
});
