/** Blocks that a template writes itself, by the limits of Slack's reference. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { TemplateValue } from '../../../src/channels/channel.ts';
import { cutBlocks, textLength } from '../../../src/channels/slack/own-blocks.ts';
import { slackAsText } from '../../../src/channels/slack/preview.ts';
import { flawsOfBlocks } from '../../support/block-kit.ts';

const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const x = (count: number) => 'x'.repeat(count);
const divider = { type: 'divider' };
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const button = (text: string) => ({ type: 'button', text: plain(text), url: 'https://a.example/' });
const having = (type: string, elements: unknown[]) => [{ type, elements }];
const section = (fields: unknown[]) => [{ type: 'section', fields }];
const cell = (text: string) => ({ type: 'raw_text', text });
const image = { type: 'image', image_url: 'https://a.example', alt_text: 'a' };
const table = (...rows: unknown[]) => [{ type: 'table', rows }];

/** The most of each that Slack takes, and some blocks that have so many. */
const LIMITS: readonly (readonly [most: number, of: (count: number) => unknown[]])[] = [
  [3000, (count) => [{ type: 'section', text: mrkdwn(x(count)) }]],
  [10, (count) => section(many(count, mrkdwn('a')))],
  [2000, (count) => section([mrkdwn(x(count))])],
  [150, (count) => [{ type: 'header', text: plain(x(count)) }]],
  [10, (count) => having('context', many(count, plain('a')))],
  [25, (count) => having('actions', many(count, button('a')))],
  [75, (count) => having('actions', [button(x(count))])],
  [2000, (count) => [{ ...image, alt_text: x(count) }]],
  [2000, (count) => [{ ...image, title: plain(x(count)) }]],
  [2000, (count) => having('actions', [{ ...button('a'), value: x(count) }])],
  [75, (count) => having('actions', [{ ...button('a'), accessibility_label: x(count) }])],
  [100, (count) => table(...many(count, [cell('a')]))],
  [20, (count) => table(many(count, cell('a')))],
];

describe('blocks of a template’s own', () => {
  const taken = (blocks: unknown[]) => {
    const { kept } = cutBlocks(blocks as TemplateValue[]);
    if (kept.length > 0) expect(flawsOfBlocks(kept), JSON.stringify(kept)).to.deep.equal([]);
    return kept;
  };

  it('are cut to the limits of their types', () => {
    for (const [most, of] of LIMITS) {
      const what = JSON.stringify(of(1));
      expect(taken(of(most)), what).to.have.lengthOf(1);
      const [shown, all] = [taken(of(most + 1)), of(most + 1)].map(textLength) as [number, number];
      expect(shown, what).to.be.within(all - 20, all - 1);
    }
    const long = [{ type: 'markdown', text: x(7000) }];
    const run = having('rich_text', having('rich_text_section', [{ type: 'text', text: x(7000) }]));
    expect([taken(long), taken(run)]).to.deep.equal([long, run]);
    expect(cutBlocks(many(51, divider))).to.have.property('leftOut', 3);
  });

  it('lose what is empty, and whatever is nothing without it', () => {
    const [empty, full] = [plain(' '), mrkdwn('a')];
    const verbatim = { ...full, verbatim: true };
    const link = (text: string, url: string) => ({ type: 'link', text, url });
    const rich = (...runs: object[]) => having('rich_text', having('rich_text_section', runs));
    const a = { type: 'text', text: 'a' };
    for (const [blocks, kept] of [
      [[{ type: 'header', text: empty }], []],
      [[{ type: 'section', text: empty }], []],
      [[{ type: 'section', text: empty, fields: [full, empty] }], [{ type: 'section', fields: [verbatim] }]],
      [having('context', [empty]), []],
      [having('actions', [{ ...button('a'), url: '' }, button('b')]), having('actions', [button('b')])],
      [[{ type: 'image', image_url: 'https://a.example', alt_text: '' }], []],
      [rich(link('a', ''), { type: 'text', text: '' }), rich(a)],
      [rich(a, { type: 'text', text: ' ' }, a), rich(a, { type: 'text', text: ' ' }, a)],
      [rich(link('', 'https://a.example')), rich({ type: 'link', url: 'https://a.example' })],
      [rich(link('a', 'mailto:a@b.example')), rich(link('a', 'mailto:a@b.example'))],
      [table([cell(''), cell('b')]), table([cell('–'), cell('b')])],
      [[...table([cell('a')]), ...table([cell('b')])], table([cell('a')])],
      [[{ type: 'section', text: plain('a\ud83d') }], [{ type: 'section', text: plain('a\ufffd') }]],
    ] as const)
      expect(taken([...blocks]), JSON.stringify(blocks)).to.deep.equal(kept);
  });

  it('are sent as they are where Slack may know better', () => {
    const blocks = [{ type: 'newest', words: { text: 'a', shape: 'round' }, parts: [null, 1, true] }];
    expect(cutBlocks(blocks).kept).to.deep.equal(blocks);
  });

  it('are cut and shown, whatever they are', () => {
    const [words = [], keys = []] = [
      'header section context image rich_text rich_text_list link text mrkdwn table bold',
      'type text fields elements rows url alt_text image_url style accessory name user_id',
    ].map((all) => all.split(' '));
    const { value } = fc.letrec<{ value: TemplateValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, depthSize: 'medium' },
        fc.constantFrom<TemplateValue>(null, 7, true, '', ...words),
        fc.array(tie('value')),
        fc.dictionary(fc.constantFrom(...keys), tie('value')),
      ),
    }));
    const isShown = (blocks: readonly TemplateValue[]) =>
      typeof slackAsText({ text: 'a', blocks: cutBlocks(blocks).kept }) === 'string';
    fc.assert(fc.property(fc.array(value), isShown), { numRuns: 200 });
  });
});
