import { expect } from 'chai';
import fc from 'fast-check';
import type { Card } from '../../../src/channels/card.ts';
import { composeMail, MOST_BYTES } from '../../../src/channels/email/format.ts';
import { decoded, expectWellFormed, linksIn } from '../../render/mail-rules.ts';
import { cardWith, filesOf, fileWith, listOf, outputWith } from '../../support/cards.ts';

function seen(html: string): string {
  const lines = html
    .replace(/<(style|title)>.*?<\/\1>|<!--.*?-->|<!.*?>/gs, '')
    .replace(/<br>|<\/(?:div|tr|h1|td|th)>/g, '\n');
  return decoded(lines.replace(/<[^<>]*>/g, ''));
}

describe('a mail drawn from a card', () => {
  for (const language of ['en', 'ja'] as const)
    it(`has all that the card has, of each tone, in ${language}`, () => {
      for (const tone of ['succeeded', 'error', 'executing', 'alert', 'test'] as const) {
        const outputs = [outputWith(), outputWith({ name: 'Empty', value: '' })];
        const link = { text: 'Open it', url: 'https://bell.test/' };
        const said = { footer: 'Told late', text: 'One line\nanother' };
        const card = cardWith({ tone, language, outputs, link, ...said });
        const { subject, text, html } = composeMail(card);
        expect(subject).to.equal(card.summary);
        const words = 'Get items,One line,another,no such element,job-1,Number,12,Told late'.split(',');
        for (const part of [text, seen(html)])
          for (const each of [...words, language === 'ja' ? 'なし' : 'empty'])
            expect(part, tone).to.include(each);
        expect(text).to.include('https://bell.test/');
        expect(html).to.include(`<html lang="${language}">`);
        expectWellFormed(html);
        const addresses = linksIn(html).map(({ address }) => address);
        expect(addresses).to.deep.equal([link.url, link.url, card.facts[0]?.url]);
      }
    });

  it('says in its bar, beside a colour, what happened: the first line of the card’s text', () => {
    const barOf = (parts: Partial<Card>) =>
      /"bar"[^>]*>([^<]*)</.exec(composeMail(cardWith(parts)).html)?.[1];
    expect(barOf({ text: 'Failed after 42 s\nmore' })).to.equal('✕ Failed after 42 s');
    expect(barOf({ text: '' })).to.equal('✕ Botbell');
    expect(barOf({ text: 'x'.repeat(81), language: 'ja' })).to.equal('✕ Botbell');
    expect(barOf({ tone: 'alert', text: 'Running for 2 h' })).to.equal('! Running for 2 h');
    expect(barOf({ tone: 'alert', text: '• one\n• two' })).to.equal('! Botbell');
  });

  it('has a subject of one line, cut so that it shows', () => {
    const subjectOf = (summary: string, language: Card['language'] = 'en') =>
      composeMail(cardWith({ summary, language })).subject;
    expect(subjectOf(' a\r\nBcc: x@example.com \n')).to.equal('a Bcc: x@example.com');
    expect(subjectOf('あ'.repeat(200))).to.equal(`${'あ'.repeat(149)}…`);
    expect([subjectOf('\n'), subjectOf('', 'ja')]).to.deep.equal(['Notification', '通知']);
  });

  it('draws lists, tables, files and nested data, and says what it leaves out', () => {
    const files = [fileWith({ url: 'https://files.test/a?b=1&c=2' }), fileWith({ name: '<b>.pdf' })];
    const rows = Array.from({ length: 600 }, (_, index) => ({ name: `item ${index}`, price: index }));
    const wide = Array.from({ length: 2 }, () => ({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1 }));
    const outputs = [
      listOf('Tags', ['Cake', 'Cheese']),
      listOf('Items', rows),
      listOf('Wide', wide),
      filesOf('Files', files, { fileCount: 5 }),
      outputWith({ name: 'Nested', kind: 'other', value: '{"a":[1]}' }),
    ];
    const { text, html } = composeMail(cardWith({ outputs, outputCount: 45 }));
    expect(text).to.match(/• Cake\n• Cheese[^]*• name: item (\d+) · price: \1\n… \d+ more/);
    expect(text).to.include('📎 a.pdf (2 KB) https://files.test/a?b=1&c=2').and.include('… 3 more');
    expect(text).to.include('Nested: {"a":[1]}').and.include('… 40 more');
    expect(html.match(/<th /g)).to.have.lengthOf(2);
    expect(seen(html)).to.include('item 99').and.not.include('item 599');
    expect(seen(html)).to.include('• a: 1 · b: 1').and.include('<b>.pdf').and.include('{"a":[1]}');
    const file = { address: 'https://files.test/a?b=1&c=2', words: 'a.pdf (2 KB)' };
    expect(linksIn(html)[0]).to.deep.equal(file);
    expectWellFormed(html);
  });

  it('shows hostile text as it is, and nothing in it acts but the addresses that it shows', () => {
    const EVIL = 'https://evil.test/';
    const hostile =
      '"><img src=x onerror=alert(1)><a href="javascript:f()">x</a> https://evil.test/ \u202egpj.exe\u0007';
    const shown = '"><img src=x onerror=alert(1)><a href="javascript:f()">x</a> https://evil.test/ gpj.exe';
    const link = { text: hostile, url: 'javascript:alert(1)' };
    const facts = [{ name: hostile, value: hostile, url: 'https://jobs.test/"><script>' }];
    const files = [fileWith({ name: hostile, url: 'data:text/html,x' })];
    const outputs = [
      outputWith({ name: hostile, value: hostile }),
      listOf(hostile, [
        { [hostile]: hostile, b: 1 },
        { [hostile]: 1, b: 2 },
      ]),
      filesOf(hostile, files),
    ];
    const parts = { title: hostile, text: hostile, message: hostile, footer: hostile, facts, outputs, link };
    const { html } = composeMail(cardWith(parts));
    expectWellFormed(html);
    for (const { address, words } of linksIn(html)) expect([address, words]).to.deep.equal([EVIL, EVIL]);
    expect(html).not.to.match(/<(?:img|script)\b|<a (?!href="https:)/);
    expect(seen(html).split(shown).length - 1).to.be.at.least(8);
  });

  it('keeps lines and indentation, shows columns in a font of fixed width, and opens the addresses in texts', () => {
    const columns = 'NAME    STATE\n<web-1>   up';
    const message = 'Error: a  b\n\tat one (x.js:1)\n  see https://a.example/b_(c).';
    const { text, html } = composeMail(cardWith({ message, outputs: [outputWith({ value: columns })] }));
    expect(text).to.include(message);
    expect(html).to.include(`Error: a&nbsp; b<br>${'&nbsp;'.repeat(4)}at one (x.js:1)<br>&nbsp;&nbsp;see <a`);
    const [, inside = ''] = /<pre[^>]*>([^<]*)<\/pre>/.exec(html) ?? [];
    expect(inside).to.equal(columns.replace('<', '&lt;').replace('>', '&gt;'));
    const address = 'https://a.example/b_(c)';
    expect(linksIn(html)).to.deep.include({ address, words: address });
  });

  it('lets each value have its own direction', () => {
    const outputs = [outputWith({ value: 'שלום' })];
    const { html } = composeMail(cardWith({ title: 'שלום', message: 'مرحبا', outputs }));
    for (const [, tag] of html.matchAll(/<(\w+[^<>]*)>(?:שלום|مرحبا)/gu))
      if (!tag?.startsWith('div style="display:none')) expect(tag).to.include('dir="auto"');
  });

  it('shows 20 facts, and says how many more there are', () => {
    const facts = Array.from({ length: 29 }, (_, n) => ({ name: `fact ${n}`, value: 'x', url: '' }));
    const { text } = composeMail(cardWith({ facts }));
    expect(text).to.include('fact 19 x\n… 9 more');
  });

  it('is never clipped, whatever it holds, keeps both ends of a message, says which BOT and job it is of, and has whole links that show their address', () => {
    const marks = ['あ', '<b>', "'", '"', '&', '👨‍👩‍👧‍👦', 'a', ' ', '\n    ', 'https://example.com/x?a=1&b=2 '];
    const unit = fc.constantFrom(...marks);
    const texts = fc.string({ unit, minLength: 5, maxLength: 60 });
    const ids = [
      { name: 'BOT', value: 'invoice-"a&b"', url: '' },
      { name: 'Job', value: '5f0c1f7e', url: 'https://jobs.test/5f0c1f7e' },
    ];
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 3000 }), fc.nat(45), (one, times, count) => {
        const long = one.repeat(times);
        const items = Array.from({ length: 60 }, () => ({ [one]: long, b: one, c: 1 }));
        const files = Array(60).fill(fileWith({ name: 'file', url: 'https://files.test/1' }));
        const scalar = outputWith({ name: long, value: long });
        const kinds = [scalar, listOf(long, items), listOf(long, [...items, long]), filesOf(long, files)];
        const outputs = Array.from({ length: count }, (_, index) => kinds[index % 4] ?? scalar);
        const facts = [...ids, ...Array.from({ length: 28 }, () => ({ name: long, value: long, url: '' }))];
        const message = `begin ${long} end`;
        const parts = { title: long, summary: long, text: long, message, footer: long, facts };
        const { subject, text, html } = composeMail(cardWith({ ...parts, outputs }));
        for (const part of [text, html]) {
          expect(Buffer.byteLength(part)).to.be.at.most(MOST_BYTES);
          expect(part.isWellFormed()).to.equal(true);
        }
        for (const part of [text, seen(html)]) {
          for (const { value } of ids) expect(part).to.include(value);
          expect(part).to.match(/begin[^]* end$/m);
          if (long.length > MOST_BYTES) expect(part).to.match(/… [\d,]+ characters left out …/);
        }
        expect(subject.length).to.be.at.most(150);
        expect(subject).not.to.match(/[\r\n]/);
        expectWellFormed(html);
        for (const { address, words } of linksIn(html)) {
          expect(new URL(address).href).to.equal(address);
          if (!/^(?:file|…|5f0c1f7e)/u.test(words)) expect(new URL(words).href).to.equal(address);
        }
      }),
      { numRuns: 8 },
    );
  });
});
