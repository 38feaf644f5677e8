/** What is left of foreign text once it is safe to display. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { cleanLine, cleanText } from '../../src/text/clean.ts';
import { hostileText } from './hostile-text.ts';

describe('cleanText', () => {
  it('leaves ordinary English, Japanese, Korean and European text alone', () => {
    for (const text of [
      '',
      'Order 12 failed: <timeout> & "retry"\n\tline 2',
      '請求書取込BOT「ログイン」で要素が見つかりませんでした…',
      'ｶﾀｶﾅ　カタカナ・ひらがな',
      '한국어 문자열',
      'Größe: 5 µm – naïve façade',
    ]) {
      expect(cleanText(text)).to.equal(text);
    }
  });

  it('shows a lone surrogate as U+FFFD', () => {
    expect(cleanText('a\ud83d')).to.equal('a\ufffd');
    expect(cleanText('\ude00b')).to.equal('\ufffdb');
  });

  it('turns every kind of line break into a line feed', () => {
    expect(cleanText('a\r\nb\rc\u0085d\u2028e\u2029f\ng')).to.equal('a\nb\nc\nd\ne\nf\ng');
  });

  it('removes controls but keeps tabs', () => {
    expect(cleanText('a\u0000b\u0007c\u001b[31md\u007fe\u009bf\tg')).to.equal('abc[31mdef\tg');
  });

  it('removes every bidi control, so that no file name can pretend another extension', () => {
    expect(cleanText('\u202egnp.exe')).to.equal('gnp.exe');
    const controls = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
    expect(cleanText(`a${controls}b`)).to.equal('ab');
  });

  it('removes byte order marks, noncharacters and invisible characters', () => {
    expect(cleanText('\ufeffa\ufffe\uffff\ufdd0\u{1ffff}b')).to.equal('ab');
    expect(cleanText('a\u200b\u2060\u180e\u00ad\u3164\ufff9b')).to.equal('ab');
  });

  it('removes tag characters but keeps the flags that are spelt with them', () => {
    const scotland = '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';
    expect(cleanText(`${scotland}!`)).to.equal(`${scotland}!`);
    expect(cleanText('hi\u{e0068}\u{e0069}🏴\u{e0068}')).to.equal('hi🏴');
  });

  it('keeps the joiners and selectors that hold an emoji together', () => {
    for (const emoji of ['👨‍👩‍👧‍👦', '❤️‍🔥', '👩🏽‍🚀', '🏳️‍🌈', '☺️', '1️⃣', '🇯🇵']) expect(cleanText(emoji)).to.equal(emoji);
  });

  it('removes joiners that join nothing', () => {
    expect(cleanText('pay\u200dpal \u200c👩\u200dx')).to.equal('paypal 👩x');
  });

  it('keeps the joiners that Persian and Indic scripts are spelt with', () => {
    for (const word of ['می\u200cخواهم', 'क्\u200dष', 'ශ්\u200dරී']) expect(cleanText(word)).to.equal(word);
    expect(cleanText('می\u200c\u200c\u200cخ')).to.equal('می\u200cخ');
  });

  it('composes what was decomposed, without compatibility folding', () => {
    expect(cleanText('か\u3099 e\u0301 ｶﾞ ㍻')).to.equal('が é ｶﾞ ㍻');
  });

  it('keeps at most eight combining marks on a letter', () => {
    expect(cleanText(`x${'\u0321'.repeat(500)}y`)).to.equal(`x${'\u0321'.repeat(8)}y`);
  });

  it('keeps whole what Vietnamese, Hebrew, Thai, Tibetan and Korean write with marks and jamo', () => {
    for (const text of ['Tiếng Việt', 'בְּרֵאשִׁ֖ית', 'ที่นี่', 'རྫོགས་ཆེན་', '한국어', 'नमस्ते', 'ᾂ', '각\u11a8']) {
      expect(cleanText(text.normalize('NFD'))).to.equal(text.normalize('NFC'));
    }
    const zalgo = `Z\u0335${'\u0316\u0301'.repeat(3)}\u0348`;
    expect(cleanText(zalgo)).to.equal(zalgo.normalize('NFC'));
  });

  it('keeps the variants that Japanese names are written with', () => {
    expect(cleanText('葛\u{e0100}城')).to.equal('葛\u{e0100}城');
  });

  it('is idempotent and well-formed, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const clean = cleanText(text);
        expect(cleanText(clean)).to.equal(clean);
        expect(clean.isWellFormed()).to.equal(true);
        expect(clean).to.equal(clean.normalize('NFC'));
        expect(clean).not.to.match(/[\0-\x08\v-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
        expect(clean).not.to.match(/\p{M}{9}/u);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads a hostile megabyte in one pass', () => {
    for (const unit of ['\u0301', '\u200d', 'क\u200d', '👩\u200d', '🏴\u{e0067}', '\r\0']) {
      expect(cleanText(unit.repeat(200_000)).length).to.be.at.most(unit.length * 200_000);
    }
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
  it('turns every run of white space into one space and has none at the ends', () => {
    expect(cleanLine('  a\r\n\tb \u00a0\u3000c\u2028d  ')).to.equal('a b c d');
  });

  it('leaves a clean line alone', () => {
    expect(cleanLine('夜間レポート for B 2')).to.equal('夜間レポート for B 2');
  });

  it('may be empty', () => {
    expect(cleanLine('\u200b \n\u202e')).to.equal('');
  });

  it('is one trimmed line and idempotent, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const line = cleanLine(text);
        expect(cleanLine(line)).to.equal(line);
        expect(line).not.to.match(/[^\S ]| {2}|^ | $/);
      }),
      { numRuns: 2000 },
    );
  });
});
