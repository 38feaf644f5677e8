/** A card as a Slack message: native blocks within Slack's limits, and mentions by the config alone. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Card, OutputView } from '../../../src/channels/card.ts';
import { slackFormat } from '../../../src/channels/slack/format.ts';
import { expectAcceptable, richLinks, richRuns } from '../../render/slack-rules.ts';
import { hostileText } from '../../text/hostile-text.ts';

const CARD: Card = {
  tone: 'error',
  language: 'en',
  title: 'Get items',
  summary: 'Get items failed',
  text: 'Failed after 3 s',
  message: 'no rows',
  facts: [{ name: 'Job', value: 'j-1', url: 'https://example.com/jobs/j-1' }],
  outputs: [],
  outputCount: 0,
  restUrl: '',
  link: undefined,
  footer: '',
};
const QUIET = { options: {}, isError: false };

function listOf(name: string, items: readonly unknown[]): OutputView {
  return { name, kind: 'list', value: '', items, files: [], fileCount: 0 };
}

const shown = (card: Partial<Card>) => slackFormat.compose({ ...CARD, ...card }, QUIET).asText();
const typesOf = (card: Partial<Card>) =>
  slackFormat.compose({ ...CARD, ...card }, QUIET).message.blocks?.map(({ type }) => type);

describe('a card on Slack', () => {
  it('is its title, words, message and facts', () => {
    const { text, blocks } = slackFormat.compose(CARD, QUIET).message;
    expect(text).to.equal('❌ Get items failed');
    expect(blocks).to.deep.equal([
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: '❌ Get items', style: { bold: true } },
              { type: 'text', text: '\n' },
              { type: 'text', text: 'Failed after 3 s' },
            ],
          },
          { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'no rows' }] },
        ],
      },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'Job ' },
              { type: 'link', url: 'https://example.com/jobs/j-1', text: 'j-1' },
            ],
          },
        ],
      },
    ]);
  });

  it('mentions whom the destination has called, of an error and nothing else', () => {
    const options = { mention_on_error: ['@here', 'U0123ABC'] };
    const called = slackFormat.compose(CARD, { options, isError: true }).message;
    expect(called.text).to.match(/^<!here> <@U0123ABC> ❌/);
    expect(called.blocks?.[0]).to.have.nested.property('text.text', '<!here> <@U0123ABC>');
    expect(JSON.stringify(slackFormat.compose(CARD, { options, isError: false }).message)).not.to.include(
      '<!here>',
    );
  });

  it('has one table, and shows further ones as lists', () => {
    const rows = [
      { a: '1', b: 'x' },
      { a: '2', b: 'y' },
    ];
    const outputs = [listOf('one', rows), listOf('two', rows)];
    expect(typesOf({ outputs, outputCount: 2 })).to.deep.equal([
      'rich_text',
      'table',
      'rich_text',
      'rich_text',
    ]);
    expect(shown({ outputs, outputCount: 2 }))
      .to.include('a | b\n1 | x\n2 | y')
      .and.to.include('• a: 1 · b: x');
  });

  it('says how many items, fields and outputs are left out', () => {
    const many = Array.from({ length: 1234 }, (_, index) => `row ${index}`);
    expect(shown({ outputs: [listOf('rows', many)], outputCount: 99 }))
      .to.include('rows (1,234)\n• row 0')
      .and.to.include('• row 98\n… 1,135 more\n… 98 more');
    const wide = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`field ${index}`, 'x'.repeat(50)]),
    );
    expect(shown({ outputs: [listOf('rows', [wide])], outputCount: 1 })).to.match(
      /• field 0: x+ .* … .* field 39: x+/,
    );
  });

  it('keeps the beginning and the end of a long message', () => {
    expect(shown({ message: `BEGIN ${'x'.repeat(50_000)} END` })).to.match(
      /BEGIN x+\s+… [\d,]+ characters left out …\s+x+ END/,
    );
  });

  it('leads nowhere but to the addresses it was given, and to those that its texts show', () => {
    const outputs = [{ ...listOf('page', []), kind: 'scalar' as const, value: 'https://example.org/a' }];
    const { message } = slackFormat.compose(
      { ...CARD, message: 'see https://evil.example/.', outputs, outputCount: 1 },
      QUIET,
    );
    expect(richLinks(message)).to.deep.equal([
      'https://evil.example/',
      'https://example.org/a',
      'j-1 <https://example.com/jobs/j-1>',
    ]);
  });

  it('is within Slack’s limits with long addresses, too, and says what it left out', () => {
    const addresses = Array.from(
      { length: 10 },
      (_, index) => `https://example.com/${index}${'あ'.repeat(200)}`,
    );
    const { message, asText } = slackFormat.compose(
      {
        ...CARD,
        message: 'm'.repeat(9000),
        facts: [{ name: 'Job', value: 'j-1', url: `https://example.com/${'j'.repeat(1900)}` }],
        outputs: [listOf('pages', addresses)],
        outputCount: 1,
      },
      QUIET,
    );
    expectAcceptable(message);
    expect(asText())
      .to.match(/characters left out/)
      .and.include('Job j-1');
  });

  it('is within Slack’s limits and mentions nobody, whatever it holds', () => {
    const text = fc
      .tuple(hostileText(), fc.integer({ min: 0, max: 400 }))
      .map(([part, count]) => part.repeat(count));
    const items = fc.array(fc.oneof(text, fc.dictionary(hostileText(), text, { maxKeys: 30 })), {
      maxLength: 30,
    });
    const output = fc.record({ name: text, items }).map(({ name, items: all }) => listOf(name, all));
    const cards = fc.record({
      title: text,
      summary: text,
      text,
      message: text,
      footer: text,
      tone: fc.constantFrom('succeeded' as const, 'error' as const, 'alert' as const, 'test' as const),
      language: fc.constantFrom('en' as const, 'ja' as const),
      facts: fc.array(
        fc.record({ name: text, value: text, url: fc.constantFrom('', 'https://example.com/x') }),
      ),
      outputs: fc.array(output, { maxLength: 40 }),
      outputCount: fc.integer({ min: 40, max: 1e6 }),
    });
    fc.assert(
      fc.property(cards, (card) => {
        const { message } = slackFormat.compose({ ...CARD, ...card }, QUIET);
        expectAcceptable(message);
        expect(message.text).not.to.match(/<[^>]*>/);
        for (const run of richRuns(message.blocks))
          expect(run['type']).to.be.oneOf(['text', 'raw_text', 'link']);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});
