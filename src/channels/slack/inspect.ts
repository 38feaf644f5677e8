/** Finds what Slack would refuse in the structure of a message, whatever its texts. */
import { didYouMean } from '../../text/nearest.ts';
import { MAX_BLOCKS } from './limits.ts';
import type { OldMessageFormat as MessageFormat, TemplateValue } from '../channel.ts';
import { isList, isObject, stringAt, typeOf } from './message.ts';
import type { SlackMessage, SlackObject } from './message.ts';

type Path = readonly (string | number)[];
type Finding = ReturnType<MessageFormat['inspect']>[number];

/** What may stand at a key: text objects or elements of these types, alone or as a list of at most so many. */
interface Slot {
  readonly types: readonly string[];
  readonly isList?: boolean;
  readonly most?: number;
}

interface BlockShape {
  /** One of these must be there. */
  readonly needs?: readonly string[];
  readonly slots?: Readonly<Record<string, Slot>>;
}

const ANY_TEXT = ['mrkdwn', 'plain_text'];
const PLAIN = ['plain_text'];
const RICH_TEXT_PARTS = ['rich_text_section', 'rich_text_list', 'rich_text_preformatted', 'rich_text_quote'];
const RICH_TEXT_RUNS = 'text link emoji user usergroup channel broadcast date color team'.split(' ');

/** Slack: Block Kit reference. Types without an entry's detail are taken as they are. */
const SHAPES: ReadonlyMap<string, BlockShape> = new Map<string, BlockShape>([
  ['header', { needs: ['text'], slots: { text: { types: PLAIN } } }],
  [
    'section',
    {
      needs: ['text', 'fields'],
      slots: { text: { types: ANY_TEXT }, fields: { types: ANY_TEXT, isList: true, most: 10 } },
    },
  ],
  [
    'context',
    {
      needs: ['elements'],
      slots: { elements: { types: [...ANY_TEXT, 'image'], isList: true, most: 10 } },
    },
  ],
  ['actions', { needs: ['elements'], slots: { elements: { types: [], isList: true, most: 25 } } }],
  ['image', { needs: ['image_url', 'slack_file'], slots: { title: { types: PLAIN } } }],
  ['button', { needs: ['text'], slots: { text: { types: PLAIN } } }],
  // With `text` it is ours: a rich text in one piece.
  [
    'rich_text',
    { needs: ['text', 'elements'], slots: { elements: { types: RICH_TEXT_PARTS, isList: true } } },
  ],
  [
    'rich_text_list',
    { needs: ['elements'], slots: { elements: { types: ['rich_text_section'], isList: true } } },
  ],
  ...['rich_text_section', 'rich_text_preformatted', 'rich_text_quote'].map((type): [string, BlockShape] => [
    type,
    { needs: ['elements'], slots: { elements: { types: RICH_TEXT_RUNS, isList: true } } },
  ]),
  ['markdown', { needs: ['text'] }],
  ['video', { needs: ['video_url'], slots: { title: { types: PLAIN }, description: { types: PLAIN } } }],
  ['table', { needs: ['rows'] }],
  ['mrkdwn', { needs: ['text'] }],
  ['plain_text', { needs: ['text'] }],
]);

const BLOCK_TYPES: readonly string[] =
  'header section context actions divider image rich_text markdown video table file context_actions data_table card carousel task_card plan contact_card'.split(
    ' ',
  );

/** Keys under which Slack takes a bare string although they are named like a text object's. */
const STRING_TEXT_TYPES: ReadonlySet<string> = new Set([
  'mrkdwn',
  'plain_text',
  'markdown',
  'raw_text',
  'rich_text',
  'text',
  'link',
]);

export function inspectSlack(message: SlackMessage): Finding[] {
  const text: unknown = message.text;
  const findings = typeof text === 'string' ? [] : [finding(['text'], '"text" must be a string')];
  return message.blocks === undefined ? findings : [...findings, ...inspectBlocks(message.blocks)];
}

function inspectBlocks(blocks: TemplateValue): Finding[] {
  if (!isList(blocks)) return [finding(['blocks'], '"blocks" must be a list')];
  const tooMany = finding(
    ['blocks'],
    `${blocks.length} blocks: a message holds no more than ${MAX_BLOCKS} beside its mentions`,
  );
  const faults = blocks.flatMap((block, index) => inspectObject(block, ['blocks', index], BLOCK_TYPES));
  return blocks.length > MAX_BLOCKS ? [tooMany, ...faults] : faults;
}

/** @param types that may stand here; empty: any */
function inspectObject(value: TemplateValue, path: Path, types: readonly string[]): Finding[] {
  if (!isObject(value)) return [finding(path, `must be an object with a "type"${oneOf(types)}`)];
  const type = typeOf(value);
  if (type === '') return [finding(path, `"type" is missing${oneOf(types)}`)];
  if (types.length > 0 && !types.includes(type)) return [wrongType(type, path, types)];
  const shape = SHAPES.get(type);
  return shape === undefined ? inspectNested(value, path) : inspectShape(value, path, type, shape);
}

function inspectShape(object: SlackObject, path: Path, type: string, shape: BlockShape): Finding[] {
  const needs = shape.needs ?? [];
  const isLacking = needs.length > 0 && !needs.some((key) => Object.hasOwn(object, key));
  const lacking = finding(path, `a "${type}" needs ${needs.map((key) => `"${key}"`).join(' or ')}`);
  const slots = Object.entries(shape.slots ?? {}).flatMap(([key, slot]) => {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    return value === undefined ? [] : inspectSlot(value, [...path, key], slot);
  });
  return [
    ...(isLacking ? [lacking] : []),
    ...slots,
    ...inspectText(object, path, type),
    ...inspectAccessory(object, path),
  ];
}

function inspectSlot(value: TemplateValue, path: Path, slot: Slot): Finding[] {
  if (slot.isList !== true) return inspectObject(value, path, slot.types);
  if (!isList(value)) return [finding(path, 'must be a list')];
  const tooMany = finding(path, `${value.length} of them: Slack takes no more than ${String(slot.most)}`);
  const faults = value.flatMap((item, index) => inspectObject(item, [...path, index], slot.types));
  return value.length > (slot.most ?? Infinity) ? [tooMany, ...faults] : faults;
}

function inspectText(object: SlackObject, path: Path, type: string): Finding[] {
  const isBare = STRING_TEXT_TYPES.has(type) && Object.hasOwn(object, 'text');
  return isBare && typeof object['text'] !== 'string' ? [finding([...path, 'text'], 'must be a string')] : [];
}

function inspectAccessory(object: SlackObject, path: Path): Finding[] {
  const accessory = Object.hasOwn(object, 'accessory') ? object['accessory'] : undefined;
  return accessory === undefined ? [] : inspectObject(accessory, [...path, 'accessory'], []);
}

/** Of a type not described here only the text objects inside are looked at. */
function inspectNested(object: SlackObject, path: Path): Finding[] {
  const text = object['text'];
  return isObject(text) && stringAt(text, 'type') !== ''
    ? inspectObject(text, [...path, 'text'], ANY_TEXT)
    : [];
}

function wrongType(type: string, path: Path, types: readonly string[]): Finding {
  const hint = didYouMean(type, types) || oneOf(types);
  return finding([...path, 'type'], `"${type}" cannot stand here${hint}`);
}

function oneOf(types: readonly string[]): string {
  return types.length === 0 ? '' : `: one of ${types.join(', ')}`;
}

function finding(path: Path, message: string): Finding {
  return { path, message };
}
