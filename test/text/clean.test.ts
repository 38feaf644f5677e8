import { expect } from 'chai';
import * as fc from 'fast-check';
import { cleanLine, cleanText } from '../../src/text/clean.ts';
import { hostileText } from './hostile-text.ts';
import { sized } from '../support/test-size.ts';

const SCOTLAND = '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';

const KEPT: Readonly<Record<string, readonly string[]>> = {
  'ordinary English and European text': ['"12" failed: <timeout> &\n\tretry', 'Größe: 5 µm – naïve façade'],
  'ordinary Japanese and Korean text': ['「ログイン」で要素が…', 'ｶﾀｶﾅ　カタカナ・ひらがな', '한국어'],
  'ideographs that NFC would replace in names': ['\ufa19\u7530 \u6e1a\ufa46', '\u{2f81a}', '\uf900\ufaff'],
  'variants that Japanese names are written with': ['葛\u{e0100}城'],
  'flags that are spelt with tag characters': [SCOTLAND],
  'joiners and selectors that hold an emoji together': ['👨‍👩‍👧‍👦', '❤️‍🔥', '👩🏽‍🚀', '🏳️‍🌈', '☺️', '1️⃣', '🇯🇵'],
  'joiners that Persian and Indic scripts are spelt with': ['می\u200cخواهم', 'क्\u200dष', 'ශ්\u200dරී'],
};

const CLEANED: readonly (readonly [what: string, text: string, shown: string])[] = [
  ['a lone surrogate is U+FFFD', 'a\ud83d \ude00b', 'a\ufffd \ufffdb'],
  ['every line break is a line feed', 'a\r\nb\u0085d\u2028e\u2029f\ng\r\r\nh\r', 'a\nb\nd\ne\nf\ng\nh'],
  ['a page and a vertical tab begin a line', 'page 1\fpage 2\vend', 'page 1\npage 2\nend'],
  ['controls are removed, tabs kept', 'a\u0000b\u0007c\u001bd\u007fe\u009b\u9d00\tg', 'abce\u9d00\tg'],
  ['a line is as it was overwritten', 'get\n  0%|  |\r 50%|# |\r100%|##|\nERROR\n', 'get\n100%|##|\nERROR\n'],
  [
    'a line is as the cursor overwrote it',
    '⠋ a\u001b[2K\u001b[1G⠙ a\u001b[2K\u001b[Gok\n9%\u001b[1000D10%',
    'ok\n10%',
  ],
  ['a line that was blanked is as before', 'Working\r       \r\u001b[K\nb', 'Working\nb'],
  ['a sign is as it was typed over', 'a\r\b 10%\b\b\b20%\n|\b/\b\b\b done _\bb', ' 20%\n done b'],
  ['a line that was begun anew is two', 'model.bin\r\r  0%\r 50%\r100%\nb', 'model.bin\n100%\nb'],
  ['a line that was begun anew at once is one', 'a\n\r\r 50%\r100%', 'a\n100%'],
  ['a base that NFC would replace has its marks', '\ufa19\u{e0100}e\u0301', '\ufa19\u{e0100}é'],
  ['no file name pretends another extension', '\u202egnp.exe', 'gnp.exe'],
  ['no bidi control is left', '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069', ''],
  ['byte order marks and noncharacters are removed', '\ufeffa\ufffe\uffff\ufdd0\u{1ffff}b', 'ab'],
  ['invisible characters are removed', 'a\u200b\u2060\u180e\u00ad\u3164\ufff9b', 'ab'],
  ['tag characters that spell no flag are removed', 'hi\u{e0068}\u{e0069}🏴\u{e0068}', 'hi🏴'],
  ['joiners that join nothing are removed', 'pay\u200dpal \u200c👩\u200dx', 'paypal 👩x'],
  ['a joiner stands once', 'می\u200c\u200c\u200cخ', 'می\u200cخ'],
  ['what was decomposed is composed, not folded', 'か\u3099 e\u0301 ｶﾞ ㍻', 'が é ｶﾞ ㍻'],
  ['a letter has eight marks at most', `x${'\u0321'.repeat(500)}y`, `x${'\u0321'.repeat(8)}y`],
  // Sequences for terminals are removed whole.
  ['colours', '\u001b[1m\u001b[38;5;208mFAIL\u001b[0m a', 'FAIL a'],
  ['colours in C1', '\u009b31mFAIL\u009b0m a', 'FAIL a'],
  ['movements of the cursor', 'a\u001b[2K\u001b[1A\u001b[?25lb\u001bMc', 'abc'],
  ['links that end with ST', 'see \u001b]8;;https://a.example\u001b\\run 7\u001b]8;;\u001b\\.', 'see run 7.'],
  ['links in C1', 'see \u009d8;;https://a.example/7\u009crun 7\u009d8;;\u009c.', 'see run 7.'],
  ['titles that end with BEL', '\u001b]0;build\u0007done', 'done'],
  ['titles that end with their line', '\u001b]0;build\r\ndone\n\u001b]0;build', '\ndone\n'],
  ['strings of devices', 'a\u001bP1$r0m\u001b\\b\u001b_x\u001b\\c', 'abc'],
  ['resets and character sets', '\u001bca\u001b(Bb\u001b)0c\u001b7d', 'abcd'],
  ['what is cut short', 'a\u001b[38;5\nb\u001b[', 'a\nb'],
  ['what follows another', '\u001b]0;a\u001b[31mred\u001b[0m', 'red'],
];

describe('cleanText', () => {
  for (const [what, texts] of Object.entries(KEPT))
    it(`keeps ${what}`, () => {
      for (const text of texts) expect(cleanText(text)).to.equal(text);
    });

  for (const [what, text, shown] of CLEANED)
    it(`shows of it what is to be read: ${what}`, () => {
      expect(cleanText(text)).to.equal(shown);
      expect(cleanLine(text)).to.equal(shown.replaceAll(/\s+/g, ' ').trim());
    });

  it('keeps what follows C1 characters in text that was decoded wrongly', () => {
    const wrong = Buffer.from('“Л” failed – 請求書', 'utf8').toString('latin1');
    expect(cleanText(wrong)).to.equal(wrong.replace(/[\x80-\x9f]|\xad/g, ''));
  });

  it('keeps whole what Vietnamese, Hebrew, Thai, Tibetan and Korean write with marks and jamo', () => {
    const zalgo = `Z\u0335${'\u0316\u0301'.repeat(3)}\u0348`;
    for (const text of ['Tiếng Việt', 'בְּרֵאשִׁ֖ית', 'ที่นี่', 'རྫོགས་ཆེན་', '한국어', 'नमस्ते', 'ᾂ', '각\u11a8', zalgo])
      expect(cleanText(text.normalize('NFD'))).to.equal(text.normalize('NFC'));
  });

  it('is idempotent and well-formed, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const clean = cleanText(text);
        expect(cleanText(clean)).to.equal(clean);
        expect(clean.isWellFormed()).to.equal(true);
        const without = clean.replace(/[\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu, '一');
        expect(without).to.equal(without.normalize('NFC'));
        expect(clean).not.to.match(/[\0-\x08\v-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
        expect(clean).not.to.match(/\p{M}{9}/u);
      }),
      { numRuns: sized(300, 2000) },
    );
  });

  it('reads a hostile megabyte in one pass', () => {
    const joined = '\u0301|\u200d|क\u200d|👩\u200d|🏴\u{e0067}|\r\0|\r|\r |\ufa19';
    const sequences = '[1G|[1000D||[|[0|]| |P'.split('|').map((end) => `\u001b${end}`);
    for (const unit of [...joined.split('|'), ...sequences, '\u009b0', '\u009d0;'])
      expect(cleanText(unit.repeat(200_000)).length).to.be.at.most(unit.length * 200_000);
  });

  it('sorts no run of marks that is longer than any text has, which would take the square of its length', () => {
    const later = '\u0315'.repeat(100_000);
    for (const between of ['', '\u200d', '\u034f', '\u202e']) {
      expect(cleanText(`a${later}${between}${'\u0300'.repeat(100_000)}b`)).to.match(/^a\p{M}{8}b$/u);
    }
    expect(cleanLine(`a${'\u0315\u0300'.repeat(100_000)}`)).to.match(/^à\p{M}{8}$/u);
  });
});

describe('cleanLine', () => {
  it('turns every run of white space into one space, has none at the ends, and may be empty', () => {
    expect(cleanLine('  夜間\r\n\tb \u00a0\u3000c\u2028d 2  ')).to.equal('夜間 b c d 2');
    expect(cleanLine('\u200b \n\u202e')).to.equal('');
  });

  it('is one trimmed line and idempotent, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const line = cleanLine(text);
        expect(cleanLine(line)).to.equal(line);
        expect(line).not.to.match(/[^\S ]| {2}|^ | $/);
      }),
      { numRuns: sized(300, 2000), examples: [['가\u200cᆨ\u200d']] },
    );
  });
});
