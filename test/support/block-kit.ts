/** The blocks that Slack takes in a message (Block Kit reference), written down apart from the code that keeps to it. */
import { textLength } from '../../src/channels/slack/own-blocks.ts';
import { isJsonObject } from '../../src/text/json.ts';
import {
  anything,
  type BlockFlaw,
  type BlockRules,
  byType,
  flag,
  list,
  object,
  oneOf,
  text,
  url,
} from './block-rules.ts';

/** "up to 50 blocks in each message". */
const MAX_BLOCKS = 50;
/** Characters of all tables in a message together. */
const MAX_TABLE_TEXT = 10_000;

const id = text(255);

const plain = (most: number) => ({ plain_text: object({ text: text(most) }, { emoji: flag }) });
const plainText = (most: number) => byType(plain(most));
const texts = (most: number) => ({
  ...plain(most),
  mrkdwn: object({ text: text(most) }, { verbatim: flag }),
});

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
const words = text(8000, (value) => value === '');
const styled = { style: anything };

const link = object({ url }, { text: words, unsafe: flag, ...styled });

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
  table: block({ rows: list(100, list(20, cell)) }, { column_settings: list(20, anything) }),
  ...others('video file context_actions data_table card carousel task_card plan contact_card'),
});

const isTable = (block: unknown) => isJsonObject(block) && block['type'] === 'table';

export function flawsOfBlocks(blocks: readonly unknown[]): readonly BlockFlaw[] {
  const flaws: BlockFlaw[] = [];
  const found = (path: BlockFlaw['path'], message: string) => flaws.push({ path, message });
  list(MAX_BLOCKS, anyBlock)(blocks, ['blocks'], found);
  const [first, second] = [...blocks.keys()].filter((index) => isTable(blocks[index]));
  if (second !== undefined) found(['blocks', second], 'only_one_table_allowed');
  if (first !== undefined && textLength(blocks.filter(isTable)) > MAX_TABLE_TEXT)
    found(['blocks', first], `must be less than ${MAX_TABLE_TEXT + 1} characters`);
  return flaws;
}
