/** What Slack accepts as the blocks of a message: the limits of its Block Kit reference, and those it does not write down. */
import { isJsonObject } from '../text/json-object.ts';
import {
  all,
  anyOf,
  anything,
  byType,
  flag,
  list,
  oneOf,
  rule,
  shape,
  text,
  webUrl,
  wholeNumber,
  type Flaw,
  type Rule,
  type Rules,
} from './json-rules.ts';

/** Slack: Block Kit: "up to 50 blocks in each message". */
const MAX_BLOCKS = 50;
const MAX_ID = 255;
const MAX_URL = 3000;
const MAX_ALT_TEXT = 2000;
/** bolt-js 2509: 12,000 characters of text "with a buffer for block containers"; refusals were seen from about 13,200 on. */
const MAX_TOTAL_TEXT = 13_000;
/** Slack: table block: "10,000 characters" for all tables of a message together. */
const MAX_TABLE_TEXT = 10_000;

const id = text(1, MAX_ID);
const texts = (max: number) => ({
  plain_text: shape({ text: text(1, max) }, { emoji: flag }),
  mrkdwn: shape({ text: text(1, max) }, { verbatim: flag }),
});
const anyText = (max: number) => byType(texts(max));
const plain = (max: number) => byType({ plain_text: texts(max).plain_text });

/** A block with its optional `block_id`. */
const block = (required: Rules, optional: Rules = {}): Rule => shape(required, { ...optional, block_id: id });

const imageFields = { alt_text: text(1, MAX_ALT_TEXT) };
const imageSource = { image_url: webUrl(MAX_URL), slack_file: anything };
const imageElement = all(anyOf('image_url', 'slack_file'), shape(imageFields, imageSource));

const colour = oneOf('primary', 'danger');
const confirm = shape(
  { title: plain(100), text: anyText(300), confirm: plain(30), deny: plain(30) },
  { style: colour },
);
const buttonOptions = { action_id: id, url: webUrl(MAX_URL), value: text(1, 2000), style: colour, confirm };
const button = shape({ text: plain(75) }, { ...buttonOptions, accessibility_label: text(1, 75) });

/** Known, but nothing a notification would use, so their insides are not looked at. */
const OTHER_ELEMENTS = allOf(
  'static_select external_select users_select conversations_select channels_select multi_static_select ' +
    'multi_external_select multi_users_select multi_conversations_select multi_channels_select overflow ' +
    'datepicker datetimepicker timepicker radio_buttons checkboxes workflow_button',
  anything,
);

const style = shape({}, allOf('bold italic strike code underline highlight client_highlight unlink', flag));

/** One rule for many keys, with blanks between them. */
function allOf(keys: string, each: Rule): Rules {
  return Object.fromEntries(keys.split(' ').map((key) => [key, each]));
}

const inline = byType({
  text: shape({ text: text(1) }, { style }),
  link: shape({ url: webUrl(MAX_URL) }, { text: text(1), style, unsafe: flag }),
  emoji: shape({ name: text(1) }, { unicode: text(1), style }),
  user: shape({ user_id: id }, { style }),
  usergroup: shape({ usergroup_id: id }, { style }),
  team: shape({ team_id: id }, { style }),
  channel: shape({ channel_id: id }, { style }),
  broadcast: shape({ range: oneOf('here', 'channel', 'everyone') }, { style }),
  color: shape({ value: text(1) }),
  date: shape(
    { timestamp: wholeNumber(0, 1e12), format: text(1) },
    { url: webUrl(MAX_URL), fallback: text(1), style },
  ),
});

const inlines = { elements: list(1, Infinity, inline) };
const section = shape(inlines);
const sections = list(1, Infinity, byType({ rich_text_section: section }));
const border = wholeNumber(0, 1);

const richText = byType({
  rich_text_section: section,
  rich_text_list: shape(
    { style: oneOf('bullet', 'ordered'), elements: sections },
    { indent: wholeNumber(0, 8), offset: wholeNumber(0, 1e6), border },
  ),
  rich_text_preformatted: shape(inlines, { border, language: text(1) }),
  rich_text_quote: shape(inlines, { border }),
});

const anyNumber = rule('must be a number', (value) => typeof value === 'number');

const columnSetting = shape({}, { align: oneOf('left', 'center', 'right'), is_wrapped: flag });

const tableCell = byType({
  raw_text: shape({ text: text(1) }),
  raw_number: shape({ value: anyNumber }, { text: text(1) }),
  rich_text: block({ elements: list(1, Infinity, richText) }),
});

const blockRule = byType({
  divider: block({}),
  header: block({ text: plain(150) }),
  section: all(
    anyOf('text', 'fields'),
    block(
      {},
      {
        text: anyText(3000),
        fields: list(1, 10, anyText(2000)),
        accessory: byType({ button, image: imageElement, ...OTHER_ELEMENTS }),
        expand: flag,
      },
    ),
  ),
  context: block({
    elements: list(1, 10, byType({ image: imageElement, ...texts(3000) })),
  }),
  image: all(anyOf('image_url', 'slack_file'), block(imageFields, { ...imageSource, title: plain(2000) })),
  actions: block({ elements: list(1, 25, byType({ button, ...OTHER_ELEMENTS })) }),
  rich_text: block({ elements: list(1, Infinity, richText) }),
  markdown: block({ text: text(1, 12_000) }),
  table: block(
    { rows: list(1, 100, list(1, 20, tableCell)) },
    { column_settings: list(1, 20, orNull(columnSetting)) },
  ),
});

/** A column's settings may be left out by a null in their place. */
function orNull(rule: Rule): Rule {
  return (value, pointer) => (value === null ? [] : rule(value, pointer));
}

const blocksRule = list(1, MAX_BLOCKS, blockRule);

/** A refusal as Slack answers it: its code, and each flaw in words. */
interface BlocksRefusal {
  readonly error: 'invalid_blocks' | 'msg_blocks_too_long';
  readonly flaws: readonly Flaw[];
}

/** Undefined: Slack would take them. */
export function refusalOfBlocks(blocks: unknown): BlocksRefusal | undefined {
  const entries = Array.isArray(blocks) ? (blocks as readonly unknown[]) : [];
  const flaws = [...blocksRule(blocks, '/blocks'), ...repeatedIds(entries), ...flawsOfTables(entries)];
  if (flaws.length > 0) return { error: 'invalid_blocks', flaws };
  return textLength(blocks) > MAX_TOTAL_TEXT ? { error: 'msg_blocks_too_long', flaws: [] } : undefined;
}

function flawsOfTables(blocks: readonly unknown[]): Flaw[] {
  const tables = [...blocks.entries()].filter(([, each]) => isJsonObject(each) && each['type'] === 'table');
  const [first, second] = tables.map(([index]) => `/blocks/${index}`);
  const tooLong = `must be less than ${MAX_TABLE_TEXT + 1} characters`;
  const isTooLong = textLength(tables.map(([, table]) => table)) > MAX_TABLE_TEXT;
  return [
    ...(second === undefined ? [] : [{ pointer: second, message: 'only_one_table_allowed' }]),
    ...(first !== undefined && isTooLong ? [{ pointer: first, message: tooLong }] : []),
  ];
}

function repeatedIds(blocks: readonly unknown[]): Flaw[] {
  const ids = blocks.map((entry) => (isJsonObject(entry) ? entry['block_id'] : undefined));
  return ids.flatMap((each, index) =>
    each === undefined || ids.indexOf(each) === index
      ? []
      : [{ pointer: `/blocks/${index}/block_id`, message: 'block_id already exists' }],
  );
}

/** All characters under the keys `text`, entities counted as they are written. */
function textLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((total, [key, entry]: [string, unknown]) => {
    return total + (key === 'text' && typeof entry === 'string' ? entry.length : textLength(entry));
  }, 0);
}
