/** What Slack takes, written down apart from the code that keeps to it. */
import { expect } from 'chai';
import type { TemplateValue } from '../../src/channels/channel.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import { textLength } from '../../src/channels/slack/own-blocks.ts';
import { flawsOfBlocks } from '../support/block-kit.ts';

type Block = Readonly<Record<string, TemplateValue>>;

/** `<…>` as Slack reads it: nothing of it may come from a callback. */
const CONTROL_SEQUENCE = /<[^>]*>/g;

const RUN_TYPES: ReadonlySet<string> = new Set(
  'text link emoji user usergroup channel team broadcast date color raw_text'.split(' '),
);

function everyString(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(everyString) : [];
}

/** Every control sequence of a message, in the order of its strings: nothing looks for them in a rich text. */
export function controlSequences({ text, blocks = [] }: SlackMessage): string[] {
  const parsed = blocks.filter(({ type }) => type !== 'rich_text' && type !== 'table');
  return everyString([text, parsed]).flatMap((each) => each.match(CONTROL_SEQUENCE) ?? []);
}

/** Whatever a rich text shows: every run of its sections, lists, fences, quotes and cells, in order. */
export function richRuns(value: unknown): Block[] {
  if (typeof value !== 'object' || value === null) return [];
  const type: unknown = Reflect.get(value, 'type');
  if (typeof type === 'string' && RUN_TYPES.has(type)) return [value as Block];
  return Object.values(value).flatMap(richRuns);
}

/** Each link of the rich texts, as Slack shows it: `words <address>`, or the address alone. */
export function richLinks(message: SlackMessage): string[] {
  return richRuns(message.blocks ?? [])
    .filter(({ type }) => type === 'link')
    .map((link) =>
      link['text'] === undefined
        ? shownOf(link, 'url')
        : `${shownOf(link, 'text')} <${shownOf(link, 'url')}>`,
    );
}

function shownOf(run: Block, key: string): string {
  const value = run[key];
  return typeof value === 'string' ? value : '';
}

export function expectAcceptable(message: SlackMessage): void {
  expect(message.text.trim(), 'text').not.to.equal('');
  expect(Buffer.byteLength(message.text), 'bytes of text').to.be.at.most(3000);
  if (message.blocks !== undefined) expectAcceptableBlocks(message.blocks);
  for (const text of everyString(message)) expect(text.isWellFormed(), JSON.stringify(text)).to.equal(true);
}

function expectAcceptableBlocks(blocks: readonly Block[]): void {
  expect(flawsOfBlocks(blocks), JSON.stringify(blocks)).to.deep.equal([]);
  expect(blocks.length).to.be.within(1, 40);
  expect(textLength(blocks), 'characters in all blocks').to.be.at.most(8000);
  expectQuiet(blocks);
}

/** Every text of mrkdwn with which Slack does nothing of its own. */
function expectQuiet(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) expectQuiet(member);
  const { type, text, verbatim } = value as Block;
  if (type !== 'mrkdwn' || typeof text !== 'string') return;
  expect(verbatim).to.equal(true);
  expectWholeMarkup(text);
}

function expectWholeMarkup(text: string): void {
  const rest = text.replace(/&(?:amp|lt|gt);/g, '').replace(CONTROL_SEQUENCE, '');
  expect(rest, 'entities and control sequences are whole').not.to.match(/[&<]/);
  expect((text.match(/```/g) ?? []).length % 2, 'fences are closed').to.equal(0);
}
