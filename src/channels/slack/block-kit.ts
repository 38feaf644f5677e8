/** The blocks that Slack takes in a message (Block Kit reference): one table for cutting, `check` and the local Slack. */
import { isJsonObject } from '../../text/json-object.ts';
import { anything, type BlockFlaw, byType, flag, Judgement, list, object, oneOf } from './block-rules.ts';
import { type BlockRule, type BlockRules, text, url } from './block-rules.ts';
import type { SlackObject } from './message.ts';
import { cutMrkdwn } from './mrkdwn.ts';

/** "up to 50 blocks in each message". */
const MAX_BLOCKS = 50;
/** Characters of all tables in a message together. */
const MAX_TABLE_TEXT = 10_000;

const id = text(255);

/** Sets `verbatim`; without it, Slack turns names and URLs in the text into mentions and links. */
const mrkdwn = (most: number): BlockRule => {
  const rule = object({ text: text(most, { cut: cutMrkdwn }) }, { verbatim: flag });
  return (...value) => {
    const kept = rule(...value);
    return isJsonObject(kept) ? { ...kept, verbatim: true } : undefined;
  };
};

const plain = (most: number) => ({ plain_text: object({ text: text(most) }, { emoji: flag }) });
const plainText = (most: number) => byType(plain(most));
const texts = (most: number) => ({ ...plain(most), mrkdwn: mrkdwn(most) });

const block = (required: BlockRules, optional: BlockRules = {}, anyOf: readonly string[] = []) =>
  object(required, { ...optional, block_id: id }, anyOf);

const SOURCES = ['image_url', 'slack_file'];
const sources = { image_url: url, slack_file: anything };
const image = object({ alt_text: text(2000) }, sources, SOURCES);

const button = object(
  { text: plainText(75) },
  {
    action_id: id,
    url,
    value: text(2000),
    style: oneOf('primary', 'danger'),
    confirm: anything,
    accessibility_label: text(75),
  },
);

/** Known types whose contents are not checked, since notifications hardly use them. */
function others(types: string): BlockRules {
  return Object.fromEntries(types.split(' ').map((type) => [type, anything]));
}

const elements = others(
  'static_select external_select users_select conversations_select channels_select multi_static_select ' +
    'multi_external_select multi_users_select multi_conversations_select multi_channels_select overflow datepicker ' +
    'datetimepicker timepicker radio_buttons checkboxes workflow_button',
);

/** Slack documents no limit for a run. Blanks alone are allowed, since they may separate two runs. */
const words = text(8000, { isNothing: (value) => value === '' });
const styled = { style: anything };

/** If the URL is refused, the link's text is kept. */
const link: BlockRule = (value, ...where) => {
  const kept = object({ url }, { text: words, unsafe: flag, ...styled })(value, ...where);
  const label = isJsonObject(value) ? value['text'] : undefined;
  return kept ?? (typeof label === 'string' && label !== '' ? { type: 'text', text: label } : undefined);
};

const MANY = 1000;
const runs = {
  elements: list(
    MANY,
    byType({
      text: object({ text: words }, styled),
      link,
      ...others('emoji user usergroup team channel broadcast color date'),
    }),
  ),
};
const section = { rich_text_section: object(runs) };

const richText = block({
  elements: list(
    MANY,
    byType({
      ...section,
      rich_text_list: object(
        { style: oneOf('bullet', 'ordered'), elements: list(MANY, byType(section)) },
        { indent: anything, offset: anything, border: anything },
      ),
      rich_text_preformatted: object(runs, { border: anything, language: id }),
      rich_text_quote: object(runs, { border: anything }),
    }),
  ),
});

const cell = byType({
  raw_text: object({ text: text(3000) }),
  raw_number: object({ value: anything }, { text: id }),
  rich_text: richText,
});

const anyBlock = byType({
  divider: block({}),
  header: block({ text: plainText(150) }),
  section: block(
    {},
    {
      text: byType(texts(3000)),
      fields: list(10, byType(texts(2000))),
      accessory: byType({ button, image, ...elements }),
      expand: flag,
    },
    ['text', 'fields'],
  ),
  context: block({ elements: list(10, byType({ image, ...texts(3000) })) }),
  image: block({ alt_text: text(2000) }, { ...sources, title: plainText(2000) }, SOURCES),
  actions: block({ elements: list(25, byType({ button, ...elements })) }),
  rich_text: richText,
  markdown: block({ text: text(12_000) }),
  // A refused cell is replaced, so that the cells after it stay in their columns.
  table: block(
    { rows: list(100, list(20, cell, { type: 'raw_text', text: '–' })) },
    { column_settings: list(20, anything) },
  ),
  ...others('video file context_actions data_table card carousel task_card plan contact_card'),
});

/** The characters of all strings but those of `type`; entities count as they are written. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + textLength(each), 0);
  if (!isJsonObject(value)) return 0;
  let length = 0;
  // Every message is measured: pairs of keys and values would be a thirtieth of its garbage.
  for (const key in value) if (key !== 'type') length += textLength(value[key]);
  return length;
}

/**
 * Slack does not document the most characters of a message (`msg_blocks_too_long`); refusals were seen from about 9,600 on.
 * Mentions and the line that counts left-out blocks bring a message to about 8,000.
 */
export const MAX_TOTAL = 7500;

/** Two of the 50 blocks are reserved: for mentions, and for the line that counts left-out blocks. */
export const MOST_BLOCKS = MAX_BLOCKS - 2;

const isTable = (block: unknown) => isJsonObject(block) && block['type'] === 'table';

interface JudgedBlocks {
  /** For which Slack would refuse the blocks. */
  readonly flaws: readonly BlockFlaw[];
  /** What is sent of them: long texts cut, empty and surplus parts left out. */
  readonly kept: readonly SlackObject[];
  /** How many whole blocks are left out, since a message would have too many blocks or characters. */
  readonly leftOut: number;
}

/** @param mark ends each text that is cut */
export function judgeBlocks(blocks: unknown, mark = '…'): JudgedBlocks {
  const found = new Judgement(mark);
  const fitted = (list(Infinity, anyBlock)(blocks, ['blocks'], found) ?? []) as SlackObject[];
  judgeWhole(Array.isArray(blocks) ? blocks : [], found);
  const table = fitted.find(isTable);
  let kept = fitted.filter((block) => block === table || !isTable(block)).slice(0, MOST_BLOCKS);
  while (textLength(kept) > MAX_TOTAL) kept = kept.slice(0, -1);
  return { flaws: found.flaws, kept, leftOut: fitted.length - kept.length };
}

function judgeWhole(blocks: readonly unknown[], found: Judgement): void {
  if (blocks.length > MAX_BLOCKS) found.flaw(['blocks'], `no more than ${MAX_BLOCKS} items allowed`);
  const tables = [...blocks.keys()].filter((index) => isTable(blocks[index]));
  const [first, second] = tables;
  if (second !== undefined) found.flaw(['blocks', second], 'only_one_table_allowed');
  if (first !== undefined && textLength(blocks.filter(isTable)) > MAX_TABLE_TEXT)
    found.flaw(['blocks', first], `must be less than ${MAX_TABLE_TEXT + 1} characters`);
}
