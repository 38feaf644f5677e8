/** What Slack takes as the blocks of a message, by its Block Kit reference: one table for cutting, `check` and the local Slack. */
import { isJsonObject } from '../../text/json-object.ts';
import { anything, type BlockFlaw, byType, is, list, object, oneOf } from './block-rules.ts';
import { type Rules, Spot, text, url } from './block-rules.ts';

/** "up to 50 blocks in each message". */
export const MAX_BLOCKS = 50;
/** All tables of a message together. */
const MAX_TABLE_TEXT = 10_000;

const flag = is('boolean');
const number = is('number');
const id = text(255);

const plain = (most: number) => ({ plain_text: object({ text: text(most) }, { emoji: flag }) });
const plainText = (most: number) => byType(plain(most));
const texts = (most: number) => ({
  ...plain(most),
  mrkdwn: object({ text: text(most) }, { verbatim: flag }),
});
const anyText = (most: number) => byType(texts(most));

const block = (required: Rules, optional: Rules = {}, anyOf: readonly string[] = []) =>
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

/** Known, but nothing that a notification would use, so that their insides are not looked at. */
function others(types: string): Rules {
  return Object.fromEntries(types.split(' ').map((type) => [type, anything]));
}

const elements = others(
  'static_select external_select users_select conversations_select channels_select multi_static_select ' +
    'multi_external_select multi_users_select multi_conversations_select multi_channels_select overflow datepicker ' +
    'datetimepicker timepicker radio_buttons checkboxes workflow_button',
);

const style = object(
  {},
  { bold: flag, italic: flag, strike: flag, code: flag, underline: flag, highlight: flag },
);
/** No limit of its own is documented; blanks may part two words. */
const words = text(8000, (value) => value === '');

const run = byType({
  text: object({ text: words }, { style }),
  link: object({ url }, { text: words, style, unsafe: flag }),
  emoji: object({ name: id }, { unicode: id, style }),
  user: object({ user_id: id }, { style }),
  usergroup: object({ usergroup_id: id }, { style }),
  team: object({ team_id: id }, { style }),
  channel: object({ channel_id: id }, { style }),
  broadcast: object({ range: oneOf('here', 'channel', 'everyone') }, { style }),
  color: object({ value: id }),
  date: object({ timestamp: number, format: id }, { url, fallback: id, style }),
});

const MANY = 1000;
const runs = { elements: list(MANY, run) };
const section = object(runs);

const richText = block({
  elements: list(
    MANY,
    byType({
      rich_text_section: section,
      rich_text_list: object(
        {
          style: oneOf('bullet', 'ordered'),
          elements: list(MANY, byType({ rich_text_section: section })),
        },
        { indent: number, offset: number, border: number },
      ),
      rich_text_preformatted: object(runs, { border: number, language: id }),
      rich_text_quote: object(runs, { border: number }),
    }),
  ),
});

const cell = byType({
  raw_text: object({ text: text(3000) }),
  raw_number: object({ value: number }, { text: id }),
  rich_text: richText,
});

const anyBlock = byType({
  divider: block({}),
  header: block({ text: plainText(150) }),
  section: block(
    {},
    {
      text: anyText(3000),
      fields: list(10, anyText(2000)),
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

/** What Slack would refuse of a message's blocks. */
export function flawsOfBlocks(blocks: unknown): readonly BlockFlaw[] {
  const spot = new Spot(['blocks']);
  list(MAX_BLOCKS, anyBlock)(blocks, spot);
  const entries: readonly unknown[] = Array.isArray(blocks) ? blocks : [];
  findRepeatedIds(entries, spot);
  findTables(entries, spot);
  return spot.flaws;
}

function findRepeatedIds(blocks: readonly unknown[], spot: Spot): void {
  const ids = blocks.map((entry) => (isJsonObject(entry) ? entry['block_id'] : undefined));
  for (const [index, each] of ids.entries())
    if (each !== undefined && ids.indexOf(each) !== index)
      spot.at(index).at('block_id').flaw('block_id already exists');
}

function findTables(blocks: readonly unknown[], spot: Spot): void {
  const tables = [...blocks.entries()].filter(([, each]) => isJsonObject(each) && each['type'] === 'table');
  const [first, second] = tables;
  if (second !== undefined) spot.at(second[0]).flaw('only_one_table_allowed');
  if (first !== undefined && textLength(tables.map(([, table]) => table)) > MAX_TABLE_TEXT)
    spot.at(first[0]).flaw(`must be less than ${MAX_TABLE_TEXT + 1} characters`);
}

/** All characters under the keys `text`, entities counted as they are written. */
export function textLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((total, [key, entry]: [string, unknown]) => {
    return total + (key === 'text' && typeof entry === 'string' ? entry.length : textLength(entry));
  }, 0);
}
