/** A card as a Slack message: native blocks within Slack's limits, and mentions by the config alone. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Card } from '../../../src/channels/card.ts';
import type { ComposeContext } from '../../../src/channels/channel.ts';
import { slackFormat } from '../../../src/channels/slack/format.ts';
import { isObject, type SlackMessage, type SlackObject } from '../../../src/channels/slack/message.ts';
import { unescapeMrkdwn } from '../../../src/channels/slack/message.ts';
import { cleanLine, cleanText, isBlank } from '../../../src/text/clean.ts';
import { expectAcceptable, richRuns } from '../../render/slack-rules.ts';
import { CALM, cardWith, listOf } from '../../support/cards.ts';
import { hostileText } from '../../text/hostile-text.ts';
import { sized } from '../../support/test-size.ts';

const composed = (card: Partial<Card>, context: Partial<ComposeContext> = {}) =>
  slackFormat.compose(cardWith(card), { ...CALM, ...context });
const shown = (card: Partial<Card>) => composed(card).asText();
const typesOf = (card: Partial<Card>) => composed(card).message.blocks?.map(({ type }) => type);

const shownBy = (value: unknown): string =>
  richRuns(value)
    .map(({ text, url }) => (typeof text === 'string' ? text : typeof url === 'string' ? url : ''))
    .concat(quietIn(value))
    .join('');
/** The small grey line of facts, of which nothing but its links may act. */
function quietIn(value: unknown): readonly string[] {
  const texts = [value].flat().flatMap((block) => (isContext(block) ? block.elements : []));
  for (const { text } of texts)
    expect(text).not.to.match(/(?<![\p{L}\p{N}])[*_~`@#]|\D:[\p{L}\p{N}_+'-]+:|\n/u);
  return texts.map(({ text }) => unescapeMrkdwn(text.replaceAll(/<https?:[^|>]*\|([^>]*)>/g, '$1')));
}
const isContext = (block: unknown): block is { readonly elements: readonly { readonly text: string }[] } =>
  isObject(block as SlackObject) && (block as SlackObject)['type'] === 'context';
const fenceOf = ({ blocks = [] }: SlackMessage): unknown =>
  blocks
    .flatMap((block) => block['elements'])
    .filter(isObject)
    .find((element) => element['type'] === 'rich_text_preformatted');

const MARKUP = fc.constantFrom(
  ...'* _ ~ ` ``` < > & | \n ・ • - # @here @channel <!channel> <@U012AB3CD> <#C012AB3CD>'.split(' '),
  ...'&lt; &amp; :tada: :完了: ‹a› {{ {%'.split(' '),
  ' ',
  '<https://evil.example|Click>',
  '[text](https://evil.example)',
  '\ufdd0',
  '\u202e',
  'あ',
  '👨‍👩‍👧‍👦',
);
/** Markup, control characters and whatever else there is, up to about 40 characters. */
const SHORT = fc.oneof(
  fc.array(MARKUP, { maxLength: 6 }).map((parts) => parts.join('').slice(0, 40)),
  fc.string({ unit: 'binary', maxLength: 20 }),
  hostileText(10),
);
const ADDRESS = SHORT.map(
  (text) => `https://a.example/${encodeURIComponent(text.toWellFormed()).repeat(40)}`,
);
/** Without what hides text far behind or before it: of a long text, only its ends are read. */
const LONG = fc
  .tuple(SHORT, fc.integer({ min: 1, max: 400 }))
  .map(([text, count]) => text.replaceAll(/[\r\u001b\u009b\u009d]/g, '').repeat(count));

const CUT_MARK = /\n?(?:…+ [\d,]+ characters left out …|……（[\d,]+文字省略）……)\n?| … /u;

function shownOf(text: string): string {
  const lines = cleanText(text).split('\n');
  const isSeen = (line: string) => /\S/.test(line);
  return lines.slice(lines.findIndex(isSeen), lines.findLastIndex(isSeen) + 1).join('\n');
}

function expectShown(seen: string, value: string): void {
  const cleaned = shownOf(value);
  if (seen === cleaned) return;
  const [begin = '', end = ''] = seen.split(CUT_MARK);
  expect(seen).to.match(CUT_MARK);
  expect(cleaned.slice(0, begin.length)).to.equal(begin);
  expect(cleaned.slice(cleaned.length - end.length)).to.equal(end);
}

const FACTS = [
  { name: 'BOT', value: 'the-bot', url: '' },
  { name: 'Job', value: 'j-1', url: `https://example.com/${'j'.repeat(1900)}` },
];

describe('a card on Slack', () => {
  it('has one table, and shows further ones as lists', () => {
    const rows = ['1x', '2y'].map(([a, b]) => ({ a, b }));
    const card = { outputs: [listOf('one', rows), listOf('two', rows)], outputCount: 2 };
    const types = ['rich_text', 'table', 'rich_text', 'context'];
    expect(typesOf(card)).to.deep.equal(types);
    expect(shown(card)).to.include('a | b\n1 | x\n2 | y').and.to.include('• a: 1 · b: x');
  });

  it('shows every value exactly as it was sent, once cleaned, without blank lines around it, and nothing of it is a mention, an emoji or markup', () => {
    const items = fc.array(SHORT, { maxLength: 5 });
    const card = fc.record({ title: SHORT, message: SHORT, items, id: SHORT });
    fc.assert(
      fc.property(card, ({ title, message: said, items: list, id }) => {
        const facts = [{ name: 'BOT', value: id, url: '' }];
        const outputs = list.length === 0 ? [] : [listOf('list', list)];
        const { message } = composed({ title, message: said, facts, outputs });
        expectAcceptable(message);
        const seen = shownBy(message.blocks);
        expect(seen).to.include(cleanLine(title)).and.include(cleanText(id).trim());
        if (!isBlank(cleanText(said))) expect(shownBy(fenceOf(message))).to.include(shownOf(said));
        for (const item of list) if (!isBlank(cleanText(item))) expect(seen).to.include(cleanText(item));
        for (const { type, text, url } of richRuns(message.blocks)) {
          expect(type).to.be.oneOf(['text', 'raw_text', 'link']);
          if (type === 'link') expect(text ?? url).to.match(/^https?:\/\//i);
        }
      }),
      { numRuns: sized(60, 300) },
    );
  });

  it('is within Slack’s limits, mentions nobody and is cut so that it shows, whatever it holds, but for what identifies the run', () => {
    const item = fc.oneof(LONG, ADDRESS, fc.dictionary(SHORT, LONG, { maxKeys: 30 }));
    const items = fc.array(item, { maxLength: 30 });
    const output = fc.record({ name: LONG, items }).map(({ name, items: all }) => listOf(name, all));
    const cards = fc.record({
      title: LONG,
      summary: LONG,
      text: LONG,
      message: LONG,
      footer: LONG,
      tone: fc.constantFrom('succeeded' as const, 'error' as const, 'alert' as const, 'test' as const),
      language: fc.constantFrom('en' as const, 'ja' as const),
      outputs: fc.array(output, { maxLength: 40 }),
      outputCount: fc.integer({ min: 40, max: 1e6 }),
    });
    fc.assert(
      fc.property(cards, (card) => {
        const { message } = composed({ ...card, facts: FACTS });
        expectAcceptable(message);
        expect(message.text).not.to.match(/<[^>]*>/);
        expect(shownBy(message.blocks)).to.include('BOT the-bot').and.include('Job j-1');
        const isFenced = card.tone === 'error' && !isBlank(cleanText(card.message));
        if (isFenced) expectShown(shownBy(fenceOf(message)), card.message);
      }),
      // Making values of this size smaller would take minutes; the seed gives the same ones again.
      { numRuns: sized(20, 100), endOnFailure: true },
    );
  });
});
