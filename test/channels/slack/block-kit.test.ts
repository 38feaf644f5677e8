import { expect } from 'chai';
import * as fc from 'fast-check';
import { judgeBlocks } from '../../../src/channels/slack/block-kit.ts';

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text, verbatim: true });
const section = (text: string) => ({ type: 'section', text: mrkdwn(text) });
const button = (more: object = {}) => ({
  type: 'button',
  text: plain('Open'),
  url: 'https://example.com',
  ...more,
});
const actions = (...elements: unknown[]) => ({ type: 'actions', elements });
const run = (text: string) => ({ type: 'text', text, style: { bold: true } });
const richText = (...elements: unknown[]) => ({ type: 'rich_text', elements });
const richSection = (...elements: unknown[]) => ({ type: 'rich_text_section', elements });
const image = (more: object = {}) => ({
  type: 'image',
  image_url: 'https://example.com/a.png',
  alt_text: 'a',
  ...more,
});
const cell = (text: string) => ({ type: 'raw_text', text });
const table = (...rows: unknown[]) => ({ type: 'table', rows });
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const ACCEPTED: Readonly<Record<string, unknown[]>> = {
  'fifty blocks': times(50, { type: 'divider' }),
  'a section at its limits': [{ ...section('x'.repeat(3000)), block_id: 'b'.repeat(255), expand: true }],
  'ten fields': [{ type: 'section', fields: times(10, mrkdwn('x'.repeat(800))) }],
  'a header at its limit': [{ type: 'header', text: plain('x'.repeat(150)) }],
  'a context with an image': [{ type: 'context', elements: [image(), mrkdwn('x'), plain('y')] }],
  'an image': [image({ title: plain('t') })],
  'buttons and menus': [actions(button({ style: 'danger' }), { type: 'static_select', options: [] })],
  'a section with a button': [{ ...section('x'), accessory: button() }],
  'rich text of every kind': [
    richText(
      richSection(run('a'), { type: 'link', url: 'https://example.com' }, { type: 'emoji', name: 'tada' }),
      { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [richSection(run('b'))] },
      { type: 'rich_text_preformatted', elements: [run('c')], border: 0 },
      {
        type: 'rich_text_quote',
        elements: [
          { type: 'user', user_id: 'U1' },
          { type: 'broadcast', range: 'here' },
        ],
      },
    ),
  ],
  'a table': [table([cell('a')])],
  'a table at its limits': [table(...times(100, times(20, cell('abcde'))))],
  'a table of every kind of cell': [
    {
      ...table([cell('a'), { type: 'raw_number', value: 1.5 }, richText(richSection(run('b')))]),
      column_settings: [{ align: 'right' }, null, { is_wrapped: true }],
    },
  ],
  markdown: [{ type: 'markdown', text: '# x' }],
};

/** What is wrong, where below the blocks, and some of the words for it. */
const REFUSED: readonly (readonly [string, unknown, string, string])[] = [
  ['no blocks', [], '', 'no less than 1'],
  ['51 blocks', times(51, { type: 'divider' }), '', 'no more than 50'],
  ['no list', 'x', '', 'array'],
  ['a block that is text', ['x'], '/0', 'object'],
  ['a block without a type', [{}], '/0', 'type'],
  ['an unknown block', [{ type: 'constructor' }], '/0/type', 'unsupported type'],
  ['a block with a typo', [{ type: 'divider', blok_id: 'x' }], '/0/blok_id', 'blok_id'],
  ['an empty section', [{ type: 'section' }], '/0', 'text or fields'],
  ['an empty text', [section('')], '/0/text/text', 'more than 0'],
  ['a long text', [section('x'.repeat(3001))], '/0/text/text', 'less than 3001'],
  ['half a character', [section('\udc00')], '/0/text/text', 'Unicode'],
  ['a text that is no string', [{ type: 'section', text: mrkdwn(7 as never) }], '/0/text/text', 'string'],
  ['a text without its type', [{ type: 'section', text: { text: 'x' } }], '/0/text', 'type'],
  ['a flag that is none', [{ ...section('x'), expand: 'yes' }], '/0/expand', 'boolean'],
  ['eleven fields', [{ type: 'section', fields: times(11, mrkdwn('x')) }], '/0/fields', 'no more than 10'],
  ['a long field', [{ type: 'section', fields: [mrkdwn('x'.repeat(2001))] }], '/0/fields/0/text', '2001'],
  ['a header in mrkdwn', [{ type: 'header', text: mrkdwn('x') }], '/0/text/type', 'unsupported'],
  ['a long header', [{ type: 'header', text: plain('x'.repeat(151)) }], '/0/text/text', '151'],
  ['eleven elements', [{ type: 'context', elements: times(11, plain('x')) }], '/0/elements', '10'],
  ['26 actions', [actions(...times(26, button()))], '/0/elements', '25'],
  ['a long label', [actions(button({ text: plain('x'.repeat(76)) }))], '/0/elements/0/text/text', '76'],
  ['a URL that is none', [actions(button({ url: 'x y' }))], '/0/elements/0/url', 'url'],
  ['a script as URL', [actions(button({ url: 'javascript:x' }))], '/0/elements/0/url', 'url'],
  ['a long URL', [actions(button({ url: `https://x/${'y'.repeat(3000)}` }))], '/0/elements/0/url', 'url'],
  ['an unknown style', [actions(button({ style: 'loud' }))], '/0/elements/0/style', 'one of'],
  ['an image without words', [image({ alt_text: undefined })], '/0', 'alt_text'],
  ['an image without a source', [{ type: 'image', alt_text: 'a' }], '/0', 'image_url'],
  ['a long block_id', [{ type: 'divider', block_id: 'x'.repeat(256) }], '/0/block_id', '256'],
  ['rich text with nothing in it', [richText()], '/0/elements', 'no less than 1'],
  ['an empty run', [richText(richSection(run('')))], '/0/elements/0/elements/0/text', 'more than 0'],
  ['a run outside a section', [richText(run('x'))], '/0/elements/0/type', 'unsupported'],
  ['two tables', [table([cell('a')]), table([cell('b')])], '/1', 'only_one_table_allowed'],
  ['101 rows', [table(...times(101, [cell('a')]))], '/0/rows', 'no more than 100'],
  ['21 columns', [table(times(21, cell('a')))], '/0/rows/0', 'no more than 20'],
  ['an empty cell', [table([cell('')])], '/0/rows/0/0/text', 'more than 0'],
  ['a cell of text without a type', [table(['a'])], '/0/rows/0/0', 'object'],
  ['a table of 10,001 characters', [table(times(2, cell('a'.repeat(5001))))], '/0', '10001'],
  [
    'rich text in one piece, which is ours alone',
    [{ type: 'rich_text', text: 'x' }],
    '/0',
    'missing required field: elements',
  ],
];

describe('the blocks that Slack takes', () => {
  for (const [what, blocks] of Object.entries(ACCEPTED)) {
    it(`may be ${what}`, () => {
      expect(judgeBlocks(blocks).flaws).to.deep.equal([]);
    });
  }

  for (const [what, blocks, pointer, words] of REFUSED) {
    it(`may not be ${what}`, () => {
      const flaws = judgeBlocks(blocks).flaws;
      const messages = flaws
        .filter(({ path }) => path.join('/') === `blocks${pointer}`)
        .map(({ message }) => message);
      expect(messages.join(), JSON.stringify(flaws)).to.contain(words);
    });
  }

  it('are judged, whatever they are', () => {
    fc.assert(fc.property(fc.anything(), (value) => Array.isArray(judgeBlocks(value).flaws)));
    fc.assert(fc.property(fc.jsonValue(), (value) => Array.isArray(judgeBlocks([value]).flaws)));
  });
});
