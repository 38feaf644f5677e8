/** A template's own blocks, cut to Slack's limits for their types. Whether they are valid otherwise, Slack decides. */
import { mixed } from 'yup';
import { isBlank } from '../../text/clean.ts';
import { cutEnd } from '../../text/cut.ts';
import { isJsonObject } from '../../text/json.ts';
import { nearestOrAll } from '../../text/nearest.ts';
import { faultsOf } from '../../text/fault.ts';
import { isList, type TemplateValue } from '../channel.ts';
import { cutMrkdwn, isObject, isUsableUrl, type SlackObject, typeOf } from './message.ts';

/** The types of blocks (Block Kit reference). */
const TYPES =
  'header section context image actions rich_text markdown table divider video file context_actions data_table card carousel task_card plan contact_card'.split(
    ' ',
  );

/** The most characters of a text, by the type and member that hold it; of all others, `LONGEST_TEXT`. */
const CHARACTERS: Readonly<Record<string, number>> = {
  'header.text': 150,
  'section.fields': 2000,
  'button.text': 75,
  'button.value': 2000,
  'button.accessibility_label': 75,
  'image.alt_text': 2000,
  'image.title': 2000,
  'markdown.text': 12_000,
  'text.text': 8000,
};
const LONGEST_TEXT = 3000;

const ITEMS: Readonly<Record<string, number>> = {
  'section.fields': 10,
  'context.elements': 10,
  'actions.elements': 25,
  'table.rows': 100,
  row: 20,
};

const TEXTS: ReadonlySet<string> = new Set(['text', 'alt_text', 'fallback', 'value', 'accessibility_label']);
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'image_url']);
/** An object that loses one of these members is left out, unless it is a section or link that works without it. */
const ESSENTIAL: ReadonlySet<string> = new Set(['text', 'alt_text', 'elements', ...ADDRESSES]);

/** Where a value stands: its type and member, or those of the text object around it. */
interface Place {
  readonly type: string;
  readonly key: string;
  readonly holder: string;
}

/** @returns undefined: Slack would take nothing of it */
function fit(value: TemplateValue, place: Place): TemplateValue | undefined {
  if (typeof value === 'string') return fitString(value, place);
  if (isList(value)) return fitList(value, place);
  return isObject(value) ? fitObject(value, place) : value;
}

function fitString(value: string, { type, key, holder }: Place): string | undefined {
  if (ADDRESSES.has(key)) return isUsableUrl(value) || /^(?:mailto|slack):/.test(value) ? value : undefined;
  if (!TEXTS.has(key)) return value;
  // In a rich text, blanks may separate two runs.
  if (type === 'text' || type === 'link' ? value === '' : isBlank(value)) return undefined;
  const cut = type === 'mrkdwn' ? cutMrkdwn : cutEnd;
  return cut(value.toWellFormed(), CHARACTERS[holder] ?? LONGEST_TEXT, '…');
}

function fitList(list: readonly TemplateValue[], place: Place): readonly TemplateValue[] | undefined {
  const inner = place.holder === 'table.rows' ? { ...place, holder: 'row' } : place;
  // An empty cell is kept, so that the others stay in their columns.
  const nothing = place.holder === 'row' ? [{ type: 'raw_text', text: '–' }] : [];
  const items = list
    .map((each) => fit(each, inner))
    .flatMap((item) => (item === undefined ? nothing : [item]));
  return items.length === 0 ? undefined : items.slice(0, ITEMS[place.holder]);
}

function fitObject(object: SlackObject, { holder }: Place): SlackObject | undefined {
  const type = typeOf(object);
  const isText = type === 'plain_text' || type === 'mrkdwn';
  const members = Object.entries(object).map(([key, value]) => {
    const place = { type, key, holder: isText ? holder : `${type}.${key}` };
    return [key, fit(value, place)] as const;
  });
  const kept = Object.fromEntries(members.filter(([, value]) => value !== undefined)) as SlackObject;
  const lost = members.filter(([key, value]) => value === undefined && ESSENTIAL.has(key));
  if (lost.length === 0) return type === 'mrkdwn' ? { ...kept, verbatim: true } : kept;
  if (type === 'section') return 'text' in kept || 'fields' in kept ? kept : undefined;
  if (type !== 'link') return undefined;
  if ('url' in kept) return kept;
  return 'text' in kept ? { type: 'text', text: kept['text'] as string } : undefined;
}

/** "up to 50 blocks in each message"; two are kept for mentions, and for the line that counts left-out blocks. */
const MOST_BLOCKS = 50 - 2;

/**
 * Slack does not document the most characters of a message (`msg_blocks_too_long`); refusals were seen from about 9,600 on.
 * Mentions and the line that counts left-out blocks bring a message to about 8,000.
 */
const MAX_TOTAL = 7500;

/** The characters of all strings but those of `type`; entities count as they are written. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + textLength(each), 0);
  if (!isJsonObject(value)) return 0;
  let length = 0;
  // No `Object.entries`: every message is measured, and the pairs would be a thirtieth of its garbage.
  for (const key in value) if (key !== 'type') length += textLength(value[key]);
  return length;
}

/** Cuts long texts, and leaves out what is empty. */
export function cutBlocks(blocks: readonly TemplateValue[]) {
  const place = { type: '', key: '', holder: '' };
  const fitting = blocks.map((block) => fit(block, place)).filter(isObject);
  const table = fitting.find((block) => typeOf(block) === 'table');
  let kept = fitting.filter((block) => block === table || typeOf(block) !== 'table').slice(0, MOST_BLOCKS);
  while (textLength(kept) > MAX_TOTAL) kept = kept.slice(0, -1);
  return { kept, leftOut: fitting.length - kept.length };
}

const fault = faultsOf({
  type: ['is no type of a block{hint}', 'という種類のブロックはありません{hint}'],
  'no type': ['must be an object with a "type"', '「type」のあるオブジェクトにしてください'],
  'rich text': [
    'is missing (Botbell 0.1.0 made it of "text"): write a section with mrkdwn, or a card, which Botbell draws as rich text',
    'がありません（Botbell 0.1.0 は「text」から作っていました）。mrkdwnのsectionか、Botbellがリッチテキストとして描くカードを書いてください',
  ],
});

/** Rejects a block with a misspelt type or none, or a rich text without its elements: Slack would surely refuse the message. */
export const OWN_BLOCK = mixed().test('type', (block, { path, createError }) => {
  const type = isJsonObject(block) ? typeOf(block as SlackObject) : '';
  if (type === '') return createError({ message: () => fault('no type') });
  if (type === 'rich_text' && !Object.hasOwn(block as object, 'elements'))
    return createError({ path: `${path}.elements`, message: () => fault('rich text') });
  const isRight = TYPES.includes(type) || type.includes('{%');
  const hint = nearestOrAll(type, TYPES);
  return isRight || createError({ path: `${path}.type`, message: () => fault('type', { hint }) });
});
