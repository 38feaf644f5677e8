/** Cards of what BOTs send and of what a stranger may make them send, for every chat. */
import type { Card } from '../../src/channels/card.ts';
import { cardWith, fileWith, outputWith } from './cards.ts';

/** With one of each part. */
export function plainCard(parts: Partial<Card> = {}): Card {
  const outputs = [
    outputWith({ name: '件数', value: '42' }),
    outputWith({
      name: '商品',
      kind: 'list',
      value: '',
      items: [
        { 商品名: 'チーズケーキ', 価格: '500' },
        { 商品名: '紅茶', 価格: '300' },
      ],
    }),
    outputWith({ name: 'Tags', kind: 'list', value: '', items: ['one', 'two'] }),
    outputWith({
      name: 'Files',
      kind: 'files',
      value: '',
      files: [fileWith({ name: '一覧.xlsx', url: 'https://files.example/1?a=b&c=d' })],
    }),
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

/** Lines in which it is shown to people, whatever the chat; tables and lists of objects are drawn in two ways. */
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
  '<https://evil.example|ok> <b onclick=x>b</b> <script>x</script> {{DATE(2026-01-01)}} {{TIME(2026)}} $x$ :smile: ~town #tag',
  '[code]x[/code][info][title]t[/title][/info][hr][/code][qt] </info> ``` ```` ````` `````````` \\* \\ <t:1> <#1> </x:1> (devil)',
  '\ud83d \udc00 \u0000\u0007\u202e\u2066 a\u0301 👩‍👩‍👧‍👦 𠮷 \u200b\ufeff日本語　全角',
];

const LONG = 'ドキュメント "quoted" \\ *_[](){}<>@#|~`:$! '.repeat(3000);

/** Whatever acts on some chat, in a few lines. */
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

/** The text in every place that a callback can fill. */
function filledWith(text: string): Card {
  const outputs = [
    outputWith({ name: text, value: text }),
    outputWith({ name: text, kind: 'list', value: '', items: [text, { [text]: text }] }),
    outputWith({ name: text, kind: 'other', value: JSON.stringify({ [text]: text }) }),
    outputWith({
      name: text,
      kind: 'files',
      value: '',
      files: [fileWith({ name: text }), fileWith({ name: text, url: 'https://files.example/a_b*c' })],
    }),
  ];
  return cardWith({
    title: text,
    summary: text,
    message: text,
    outputs,
    outputCount: outputs.length,
    facts: [{ name: text, value: text, url: 'https://jobs.example/a_b*c' }],
    link: { text, url: 'https://jobs.example/a_b*c' },
    footer: text,
  });
}
