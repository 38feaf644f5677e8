import { expect } from 'chai';
import fc from 'fast-check';
import { readRichText } from '../../../src/channels/slack/rich-text.ts';
import type { SlackObject } from '../../../src/channels/slack/message.ts';
import { refusalOfBlocks } from '../../../src/stand-ins/slack-block-rules.ts';
import { markAddresses, markLink, markValue } from '../../../src/channels/slack/markup.ts';
import { itAtFullSize } from '../../support/test-size.ts';

const read = (source: string, mayHaveTable = true): readonly SlackObject[] =>
  readRichText(source, 'en', () => mayHaveTable).blocks;
const text = (words: string, style?: object) => ({ type: 'text', text: words, ...(style && { style }) });
const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const bullets = (...elements: object[]) => ({ type: 'rich_text_list', style: 'bullet', elements });
const fence = (words: string) => ({ type: 'rich_text_preformatted', elements: [text(words)] });
const rich = (...elements: object[]) => ({ type: 'rich_text', elements });
const cell = (words: string) => ({ type: 'raw_text', text: words });
const BOLD = { bold: true };

describe('a rich text in one piece', () => {
  describe('reads of the template’s own words', () => {
    const cases: Readonly<Record<string, readonly [string, readonly object[]]>> = {
      'bold, italic and struck': [
        '*a* _b_ ~c~ d',
        [
          text('a', BOLD),
          text(' '),
          text('b', { italic: true }),
          text(' '),
          text('c', { strike: true }),
          text(' d'),
        ],
      ],
      'styles within each other': ['*a _b_*', [text('a ', BOLD), text('b', { bold: true, italic: true })]],
      code: ['a `*b*`', [text('a '), text('*b*', { code: true })]],
      'marks that enclose nothing as they are': ['2*3*4 a_b_c * d * `', [text('2*3*4 a_b_c * d * `')]],
      'a style that is not closed on its line': ['*a\nb*', [text('*a\nb*')]],
      entities: ['a &lt;b&gt; &amp; &copy;', [text('a <b> & &copy;')]],
      'an emoji, and no time of day': [
        '12:30:00 :tada:',
        [text('12:30:00 '), { type: 'emoji', name: 'tada' }],
      ],
      links: [
        '<https://example.com/?a=1&amp;b=2|*words*> <https://example.com/x>',
        [
          { type: 'link', url: 'https://example.com/?a=1&b=2', text: '*words*' },
          text(' '),
          { type: 'link', url: 'https://example.com/x' },
        ],
      ],
      mentions: [
        '<!here> <@U1> <#C1> <!subteam^S1> <!date^1700000000^{date}|then>',
        [
          { type: 'broadcast', range: 'here' },
          text(' '),
          { type: 'user', user_id: 'U1' },
          text(' '),
          { type: 'channel', channel_id: 'C1' },
          text(' '),
          { type: 'usergroup', usergroup_id: 'S1' },
          text(' '),
          { type: 'date', timestamp: 1_700_000_000, format: '{date}', fallback: 'then' },
        ],
      ],
      'an address to write to': [
        '<mailto:a@example.com|mail>',
        [{ type: 'link', url: 'mailto:a@example.com', text: 'mail' }],
      ],
      'only the words of a link that leads nowhere': ['<|a> <ftp://x|b> <> c < d', [text('a b  c < d')]],
      'brackets around words': ['<b> <ftp://x>', [text('<b> <ftp://x>')]],
      'no white space around them': ['\n  a  \n\n', [text('a')]],
    };
    for (const [what, [source, runs]] of Object.entries(cases)) {
      it(what, () => expect(read(source)).to.deep.equal([rich(section(...runs))]));
    }

    it('paragraphs, lists, quotes and fences', () => {
      const source = 'one\ntwo\n\nthree\n• a\n- *b*\n> c\n> d\n```\ne\n  f\n```\ng ```h``` i';
      expect(read(source)).to.deep.equal([
        rich(
          section(text('one\ntwo\n\nthree')),
          bullets(section(text('a')), section(text('b', BOLD))),
          { type: 'rich_text_quote', elements: [text('c\nd')] },
          fence('e\n  f'),
          section(text('g')),
          fence('h'),
          section(text('i')),
        ),
      ]);
    });

    it('a table, with every row as wide as the widest', () => {
      expect(read('a\n|x|y|\n| 1 | *2* | 3 |\n||\nb')).to.deep.equal([
        rich(section(text('a'))),
        {
          type: 'table',
          rows: [
            [cell('x'), cell('y'), cell('–')],
            [cell('1'), rich(section(text('2', BOLD))), cell('3')],
            [cell('–'), cell('–'), cell('–')],
          ],
        },
        rich(section(text('b'))),
      ]);
    });

    it('a table as a list, where the message has one already', () => {
      expect(read('|x|y|\n|1|2|', false)).to.deep.equal([
        rich(
          bullets(section(text('x'), text(': '), text('1'), text(' · '), text('y'), text(': '), text('2'))),
        ),
      ]);
    });
  });

  describe('takes values as they are', () => {
    const hostile =
      '*a* _b_ ~c~ `d` ```e``` <!channel> <@U1> <https://evil.example|x> &lt; :tada: @here\n• f\n> g\n| h |\n- i';

    it('in a paragraph, in a style, in code, in a fence, in a list, in a quote, in a cell', () => {
      const value = markValue(hostile);
      expect(read(`a ${value}`)).to.deep.equal([rich(section(text(`a ${hostile}`)))]);
      expect(read(`*${value}*`)).to.deep.equal([rich(section(text(hostile, BOLD)))]);
      expect(read(`\`${value}\``)).to.deep.equal([rich(section(text(hostile, { code: true })))]);
      expect(read(`\`\`\`\n${value}\n\`\`\``)).to.deep.equal([rich(fence(hostile))]);
      expect(read(`• ${value}`)).to.deep.equal([rich(bullets(section(text(hostile))))]);
      expect(read(`> ${value}`)).to.deep.equal([
        rich({ type: 'rich_text_quote', elements: [text(hostile)] }),
      ]);
      expect(read(`| a |\n| ${value} |`)).to.deep.equal([
        { type: 'table', rows: [[cell('a')], [cell(hostile)]] },
      ]);
    });

    it('as the words of a link', () => {
      const link = { type: 'link', url: 'https://example.com/', text: `a ${hostile}` };
      expect(read(markLink('https://example.com/', `a ${markValue(hostile)}`))).to.deep.equal([
        rich(section(link)),
      ]);
      expect(read(`<https://example.com/|a ${markValue(hostile)}>`)).to.deep.equal([rich(section(link))]);
    });

    it('with their own white space', () => {
      expect(read(`a${markValue('  b \n')}  `)).to.deep.equal([rich(section(text('a  b \n')))]);
    });

    it('and their addresses as links that show them', () => {
      expect(read(markAddresses('see https://example.com/a?b=*c* (or http://example.org).'))).to.deep.equal([
        rich(
          section(
            text('see '),
            { type: 'link', url: 'https://example.com/a?b=*c' },
            text('* (or '),
            { type: 'link', url: 'http://example.org/', text: 'http://example.org' },
            text(').'),
          ),
        ),
      ]);
    });
  });

  it('is nothing where it shows nothing', () => {
    for (const source of ['', ' \n ', '``` ```', markValue(' \u3000'), '> '])
      expect(read(source), JSON.stringify(source)).to.deep.equal([]);
  });

  it('is cut where it is too long, and says so', () => {
    for (const source of [
      'a'.repeat(50_000),
      '• a\n'.repeat(9000),
      '| a | b |\n'.repeat(9000),
      '*a* b\n'.repeat(9000),
      markValue('あ'.repeat(20_000)),
      ':tada:'.repeat(9000),
    ]) {
      const { blocks, length } = readRichText(source, 'en', () => true);
      expect(refusalOfBlocks(blocks)).to.equal(undefined);
      expect(length).to.be.below(7000);
      expect(JSON.stringify(blocks), source.slice(0, 20)).to.include('… (cut short)');
    }
  });

  itAtFullSize('is read in about the time that its length takes', () => {
    const long = ['*a '.repeat(100_000), '<a|'.repeat(100_000), '`'.repeat(200_001), '_a*'.repeat(100_000)];
    const startedAt = performance.now();
    for (const source of long) read(source);
    expect(performance.now() - startedAt).to.be.below(5000);
  });

  it('shows none of the marks that a template holds by mistake', () => {
    const link = markLink('https://example.com/', markValue('a'));
    for (const source of [
      `\ufdd0${link}`,
      `\ufdd2${link}`,
      `\ufdd2b\ufdd0${link}`,
      `*\ufdd0${link}*`,
      `\`\ufdd0${link}\``,
    ])
      expect(JSON.stringify(read(source)), JSON.stringify(source)).not.to.match(/[\ufdd0-\ufdd4]/);
    expect(read(`\ufdd0${link}`)).to.deep.equal([
      rich(section({ type: 'link', url: 'https://example.com/', text: 'a' })),
    ]);
  });

  it('passes whatever it holds', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '*',
        '_',
        '~',
        '`',
        '```',
        '<',
        '>',
        '|',
        '• ',
        '> ',
        '\n',
        '&amp;',
        ':a:',
        'a',
        ' ',
        '<!here|',
      ),
      fc.string({ unit: 'binary', maxLength: 9 }),
      fc.string({ maxLength: 20 }).map(markValue),
      fc.constant(markLink('https://example.com/', markValue('a'))),
      fc.constantFrom('\ufdd0', '\ufdd1', '\ufdd2', '\ufdd3', '\ufdd4'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const blocks = read(pieces.join(''));
        if (blocks.length > 0) expect(refusalOfBlocks(blocks)).to.equal(undefined);
        expect(JSON.stringify(blocks)).not.to.match(/[\ufdd0-\ufdd4]/);
      }),
      { numRuns: 500 },
    );
  });
});
