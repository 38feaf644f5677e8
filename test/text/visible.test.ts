import { expect } from 'chai';
import fc from 'fast-check';
import { visible, visibleAndIndented, visibleOnOneLine } from '../../src/text/clean.ts';

/** What a terminal or a log's reader could be moved, coloured, turned or fooled by. */
const ACTING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('\x1b', '\r', '\n', '\t', '\u2028', '\u202e', '\x9b', '\x7f'), fc.string()),
});

describe('foreign text that is printed', () => {
  it('shows what would act as JSON writes it, and everything else as it is', () => {
    expect(visible('a\x1b[2J\r\x07\x7f\x9b1m\u2028\u202eb\u2069 é 請求書 👨‍👩‍👧 \\')).to.equal(
      'a\\u001b[2J\\u000d\\u0007\\u007f\\u009b1m\\u2028\\u202eb\\u2069 é 請求書 👨‍👩‍👧 \\',
    );
  });

  it('stays JSON where it was JSON, with the same meaning', () => {
    fc.assert(
      fc.property(fc.jsonValue(), text, (value, key) => {
        const json = JSON.stringify({ [key]: value, text: key });
        expect(JSON.parse(visible(json))).to.deep.equal(JSON.parse(json));
      }),
    );
  });

  it('never acts, begins no line of ours, and adds no line', () => {
    fc.assert(
      fc.property(text, (foreign) => {
        expect(ACTING.test(visible(foreign).replaceAll(/[\t\n]/g, ''))).to.equal(false);
        expect(visibleOnOneLine(foreign)).to.not.include('\n');
        const lines = visibleAndIndented(foreign, '> ').split('\n');
        expect(lines.every((line) => line === '>' || line.startsWith('> '))).to.equal(true);
        expect(lines).to.have.length(foreign.split('\n').length);
      }),
    );
  });
});
