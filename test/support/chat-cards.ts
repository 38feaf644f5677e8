/** Cards of what BOTs send, and of what a stranger may make them send, for the tests of every chat. */
import type { Card } from '../../src/channels/card.ts';
import { cardWith, filesOf, fileWith, listOf, outputWith } from './cards.ts';

export function plainCard(parts: Partial<Card> = {}): Card {
  const outputs = [
    outputWith({ name: '件数', value: '42' }),
    listOf('商品', [
      { 商品名: 'チーズケーキ', 価格: '500' },
      { 商品名: '紅茶', 価格: '300' },
    ]),
    listOf('Tags', ['one', 'two']),
    filesOf('Files', [fileWith({ name: '一覧.xlsx', url: 'https://files.example/1?a=b&c=d' })]),
  ];
  return cardWith({
    tone: 'error',
    title: '請求書BOT failed',
    summary: '請求書BOT failed after 42 s: The page did not open',
    message: 'The page did not open\n \tat step 3',
    facts: [
      { name: 'Job', value: 'job-7', url: 'https://jobs.example/7?a=b&c=d' },
      { name: 'BOT', value: 'get_items', url: '' },
    ],
    outputs,
    outputCount: outputs.length,
    link: { text: 'Open the job', url: 'https://jobs.example/7' },
    footer: 'Sent 3 minutes late',
    ...parts,
  });
}

/** The lines of `plainCard`'s preview in every chat; tables and lists of objects are drawn in two ways. */
export const PREVIEW = [
  '❌ 請求書BOT failed',
  'Failed after 42 s',
  'The page did not open',
  '  at step 3',
  '件数: 42',
  'Tags (2):',
  '• one',
  '• two',
  '📎 一覧.xlsx (2 KB) (https://files.example/1?a=b&c=d)',
  'Open the job (https://jobs.example/7)',
  'Job job-7 (https://jobs.example/7?a=b&c=d) · BOT get_items · Sent 3 minutes late',
];

const ACTING = [
  '<!here> <@U1> @everyone @channel @all <users/all> <@&1> <m userId="all"> [toall] [To:1] <at>x</at>',
  '**bold** _it_ ~~x~~ `code` # head\n- item\n1. item\n> quote ||x|| [a](https://evil.example) ![i](https://evil.example/i.png)',
  '<https://evil.example|ok> <a <b|ok> <b onclick=x>b</b> <script>x</script> {{DATE(2026-01-01)}} {{TIME(2026)}} $x$ :smile: ~town #tag',
  '[code]x[/code][info][title]t[/title][/info][hr][/code][qt] </info> ``` ```` ````` `````````` \\* \\ <t:1> <#1> </x:1> (devil)',
  '\ud83d \udc00 \u0000\u0007\u202e\u2066 a\u0301 👩‍👩‍👧‍👦 𠮷 \u200b\ufeff日本語　全角',
  'heading\n===\n\n    indented_x\n \n\tindented_y\nlook!https://a.example/1',
  'line\n=\n:-\n保存先:D :( ;) x-d :@a &euro; &#42; _@all _#tag git.example.org/a_b :| :x:y: ftp://a.example,https://a.example/1',
];

const LONG = 'ドキュメント "quoted" \\ *_[](){}<>@#|~`:$! '.repeat(3000);

export const ACTING_TEXT = ACTING.slice(0, 4).join('\n');

export const HOSTILE_CARDS: readonly Card[] = [
  ...ACTING.map((text) => filledWith(text)),
  filledWith('😀'.repeat(20_000)),
  filledWith(LONG),
  filledWith('*'.repeat(30_000)),
  filledWith('\n'.repeat(2000) + 'x'),
  cardWith({ title: '', summary: '', text: '', message: '', facts: [] }),
  cardWith({
    outputs: Array.from({ length: 40 }, (_, index) => outputWith({ name: `${index} ${LONG}`, value: LONG })),
    outputCount: 400,
    message: LONG,
    facts: Array.from({ length: 60 }, () => ({ name: LONG, value: LONG, url: '' })),
  }),
];

function filledWith(text: string): Card {
  const outputs = [
    outputWith({ name: text, value: text }),
    listOf(text, [text, { [text]: text }]),
    outputWith({ name: text, kind: 'other', value: JSON.stringify({ [text]: text }) }),
    filesOf(text, [fileWith({ name: text }), fileWith({ name: text, url: 'https://files.example/a_b*c' })]),
  ];
  return cardWith({
    title: text,
    summary: text,
    message: text,
    outputs,
    outputCount: outputs.length,
    facts: [{ name: text, value: text, url: 'https://jobs.example/a_b*c?d&lt;' }],
    link: { text, url: 'https://jobs.example/a_b*c' },
    footer: text,
  });
}

const values = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([name, value]) => outputWith({ name, value }));

export const TERMINAL = cardWith({
  summary: 'Tests failed: \u001b[31mFAIL\u001b[0m',
  message:
    '\r\n \n\u001b[1m\u001b[31mFAIL\u001b[39m\u001b[22m a.test.ts\nget\r\n  0%|   |\r 50%|#  |\r100%|## |\r\n' +
    'see \u001b]8;;https://ci.example/7\u001b\\run 7\u001b]8;;\u001b\\\nGET https://a.example/x_1: 500\n' +
    'see https://wiki.example/500.\n\n',
  facts: [],
  outputs: values({
    nothing: ' \n',
    sum: '\u001b[32m41 passed\u001b[0m',
    result: '+----+----+\n| a  | b  |\n+----+----+\n',
    csv: 'id;name\r\n1;Nut\r\n',
  }).concat(listOf('none', ['', {}, ' '])),
});

const TABLE = 'NAME    STATE\nweb-1   up\nweb-22  down';
export const COLUMNS = cardWith({ tone: 'succeeded', message: TABLE, facts: [] });

export const ADDRESSES = cardWith({
  tone: 'succeeded',
  message: '詳細は https://a.example/r/2026_11_(final)?id=7&v=1（金曜まで）、https://a.example/b_c。',
  facts: [],
  outputs: [
    ...values({
      report: 'https://a.example/r/2026_11_(final)?id=7&v=1',
      id: 'INV_101',
      price: '$5 \\d a\\b',
      faces: 'count(*) f(y) :) 8-) 10:30 C:Data',
    }),
    listOf('all', ['see https://a.example/_2_.']),
    listOf('rows', [
      { no: 'INV_1', page: 'https://a.example/p_1', who: '@jane :smile: jane@a.example 10:30:00' },
      { no: 'INV|2', page: 'https://a.example/p_2', who: '#12 ~x a|b `c|d`' },
    ]),
  ],
});

export const REST = 'https://jobs.example/7';
const invoice = (row: number) => ({ no: `INV-${row}`, customer: `Customer ${row}`, amount: row });
const UNPAID = listOf(
  'unpaid',
  Array.from({ length: 1000 }, (_, row) => invoice(row)),
);
export const ROWS = cardWith({ tone: 'succeeded', message: '', restUrl: REST, outputs: [UNPAID] });
