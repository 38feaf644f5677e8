/** How every chat shows what programs write for terminals, columns, addresses and long lists. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { Card } from '../../src/channels/card.ts';
import type { MessageFormat } from '../../src/channels/channel.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { CHANNEL_SETTINGS } from '../support/channel-settings.ts';
import { cardWith, outputWith } from '../support/cards.ts';
import { expectMessages } from '../support/expected-messages.ts';

/** Whose messages are no chat's. */
const OTHERS = new Set(['email', 'webhook', 'outbox']);

/** By name: a hook of Slack has the format of its app. Without settings, LINE WORKS has that of a bot. */
const FORMATS = new Map(
  [...channelTypes]
    .filter(([type]) => !OTHERS.has(type))
    .map(([type, { formatOf }]) => formatOf(type === 'lineworks' ? {} : CHANNEL_SETTINGS[type]))
    .map((format) => [format.name, format]),
);

function messageOf(format: MessageFormat, card: Card): unknown {
  const context = { options: {}, isError: false, destination: 'chat:ops', template: 'error', at: 0 };
  return format.compose(card, { ...context, callback: undefined }).message;
}

const values = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([name, value]) => outputWith({ name, value }));
const listOf = (name: string, items: readonly unknown[]) =>
  outputWith({ name, kind: 'list', value: '', items });

const TERMINAL = cardWith({
  summary: 'Tests failed: \u001b[31mFAIL\u001b[0m',
  message:
    '\u001b[1m\u001b[31mFAIL\u001b[39m\u001b[22m a.test.ts\nget\r\n  0%|   |\r 50%|#  |\r100%|## |\r\n' +
    'see \u001b]8;;https://ci.example/7\u001b\\run 7\u001b]8;;\u001b\\\nGET https://a.example/x_1: 500\n' +
    'see https://wiki.example/500.',
  facts: [],
  outputs: values({
    sum: '\u001b[32m41 passed\u001b[0m',
    name: '\ufa19\u7530 \u6e1a\ufa46',
    result: '+----+----+\n| a  | b  |\n+----+----+\n',
    csv: 'id;name\r\n1;Nut\r\n',
  }),
});

const COLUMNS = cardWith({
  tone: 'succeeded',
  message: 'NAME    STATE\nweb-1   up\nweb-22  down',
  facts: [],
});

const ADDRESSES = cardWith({
  tone: 'succeeded',
  message: '詳細は https://a.example/r/2026_11_(final)?id=7&v=1（金曜まで）、https://a.example/b_c。',
  facts: [],
  outputs: [
    ...values({
      report: 'https://a.example/r/2026_11_(final)?id=7&v=1',
      id: 'INV_101',
      price: '$5 \\d a\\b',
      faces: 'count(*) f(y) :) 8-) 10:30 C:Data',
      prose: 'https://a.example/1参照',
    }),
    listOf('all', ['https://a.example/1', 'see https://a.example/_2_.']),
    listOf('rows', [
      { no: 'INV_1', page: 'https://a.example/p_1', who: '@jane :smile: jane@a.example 10:30:00' },
      { no: 'INV_2', page: 'https://a.example/p_2', who: '#12 ~x a|b `c|d`' },
    ]),
  ],
});

const REST = 'https://jobs.example/7';
const ROWS = cardWith({
  tone: 'succeeded',
  message: '',
  restUrl: REST,
  outputs: [
    listOf(
      'unpaid',
      Array.from({ length: 1000 }, (_, row) => ({
        no: `INV-${row}`,
        customer: `Customer ${row}`,
        amount: row,
      })),
    ),
  ],
});

for (const [name, format] of FORMATS)
  describe(`foreign text on ${name}`, () => {
    it('is shown as it was meant: what terminals draw, columns, addresses', () => {
      expectMessages(join(import.meta.dirname, 'foreign-text', `${name}.json`), {
        terminal: messageOf(format, TERMINAL),
        columns: messageOf(format, COLUMNS),
        addresses: messageOf(format, ADDRESSES),
      });
    });

    it('is shown in as many rows as there is room for, with a link to the rest', () => {
      const message = JSON.stringify(messageOf(format, ROWS));
      const rows = (message.match(/INV\W+\d+/g) ?? []).length;
      expect(rows).to.be.at.least(name === 'lineworks' ? 25 : 50);
      expect(message)
        .to.contain(`… ${1000 - rows} more`)
        .and.contain(REST);
    });
  });
