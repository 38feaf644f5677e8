import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { judgeBlocks } from '../../../src/channels/slack/block-kit.ts';
import { expectMessages } from '../../support/expected-messages.ts';

/** What Slack documents, and what it does not take. */
const FILE = join(import.meta.dirname, 'block-kit.json');
const CASES = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<
  Record<string, { readonly blocks: unknown }>
>;

const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const x = (count: number) => 'x'.repeat(count);
const divider = (more: object = {}) => ({ type: 'divider', ...more });
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const button = (text: string, end = '') => ({
  type: 'button',
  text: plain(text),
  url: `https://a.example/${end}`,
});
const having = (type: string, elements: unknown[]) => [{ type, elements }];
const section = (fields: unknown[]) => [{ type: 'section', fields }];
const cell = (text: string) => ({ type: 'raw_text', text });
const table = (...rows: unknown[]) => [{ type: 'table', rows }];

/** The most of each, some blocks that have so many, and where one more is at fault. */
const LIMITS: readonly (readonly [most: number, of: (count: number) => unknown[], path: string])[] = [
  [50, (count) => many(count, divider()), 'blocks'],
  [255, (count) => [divider({ block_id: x(count) })], 'blocks/0/block_id'],
  [3000, (count) => [{ type: 'section', text: mrkdwn(x(count)) }], 'blocks/0/text/text'],
  [10, (count) => section(many(count, mrkdwn('a'))), 'blocks/0/fields'],
  [2000, (count) => section([mrkdwn(x(count))]), 'blocks/0/fields/0/text'],
  [150, (count) => [{ type: 'header', text: plain(x(count)) }], 'blocks/0/text/text'],
  [10, (count) => having('context', many(count, plain('a'))), 'blocks/0/elements'],
  [25, (count) => having('actions', many(count, button('a'))), 'blocks/0/elements'],
  [75, (count) => having('actions', [button(x(count))]), 'blocks/0/elements/0/text/text'],
  [100, (count) => table(...many(count, [cell('a')])), 'blocks/0/rows'],
  [20, (count) => table(many(count, cell('a'))), 'blocks/0/rows/0'],
  [10_000, (count) => table([3000, 3000, 3000, count - 9000].map(x).map(cell)), 'blocks/0'],
];

describe('the blocks that Slack takes', () => {
  it('are within its limits', () => {
    for (const [most, of, path] of LIMITS) {
      expect(judgeBlocks(of(most)).flaws, path).to.deep.equal([]);
      const flaw = judgeBlocks(of(most + 1)).flaws.find((each) => each.path.join('/') === path);
      expect(flaw?.message, path).to.match(RegExp(`no more than ${most} |less than ${most + 1} `));
    }
    const [flaw] = judgeBlocks(having('actions', [button('a', x(3000))])).flaws;
    expect(flaw).to.include({ message: 'invalid url' });
  });

  it('have what it documents, and of all else it is said where it is and what is wrong', () => {
    const judged = Object.entries(CASES).map(([what, { blocks }]) => {
      const flaws = judgeBlocks(blocks).flaws.map(({ path, message }) => `${path.join('/')}: ${message}`);
      return [what, { blocks, flaws }] as const;
    });
    expectMessages(FILE, Object.fromEntries(judged));
  });

  it('are judged, whatever they are', () => {
    fc.assert(fc.property(fc.anything(), (value) => Array.isArray(judgeBlocks(value).flaws)));
    fc.assert(fc.property(fc.jsonValue(), (value) => Array.isArray(judgeBlocks([value]).flaws)));
  });
});
