/** How foreign text of any length becomes one short line. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { cleanLine } from '../../src/text/clean.ts';
import { shortLine, shortText } from '../../src/text/cut.ts';
import { hostileText } from './hostile-text.ts';

describe('shortLine', () => {
  it('is the clean line where that fits', () => {
    expect(shortLine('  get_items\n ', 9)).to.equal('get_items');
    expect(shortLine(`a${' '.repeat(40)}b`, 9)).to.equal('a b');
  });

  it('cuts a longer one so that it shows, between characters', () => {
    expect(shortLine('get_items_2', 9)).to.equal('get_item…');
    expect(shortLine('😀'.repeat(500_000), 9)).to.equal('😀😀😀😀…');
  });

  it('shows that something was left out of a text that shows nothing for long', () => {
    expect(shortLine(`a${' '.repeat(100)}b`, 9)).to.equal('a…');
    expect(shortLine('\u200b'.repeat(100), 9)).to.equal('…');
  });

  it('is clean and within its limit, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), fc.integer({ min: 1, max: 30 }), (text, limit) => {
        const line = shortLine(text, limit);
        expect(line.length).to.be.at.most(limit);
        expect(line).to.match(/^[^\r\n]*$/);
        expect(line.isWellFormed()).to.equal(true);
        if (text.length <= limit && cleanLine(text).length <= limit) expect(line).to.equal(cleanLine(text));
      }),
    );
  });
});

describe('shortText', () => {
  it('keeps the lines of what it keeps', () => {
    expect(shortText('a\r\nb', 9)).to.equal('a\nb');
    expect(shortText('a\nb\n'.repeat(500_000), 4)).to.equal('a\nb…');
  });
});
