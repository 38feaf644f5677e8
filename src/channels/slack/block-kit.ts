/** What Slack takes as the blocks of a message, by its Block Kit reference: the one table that cutting, `check` and the local Slack share. */

export type Rule =
  /** Whole characters; mrkdwn is cut inside no markup. */
  | { readonly kind: 'text'; readonly most: number; readonly isMrkdwn?: boolean }
  | { readonly kind: 'url' | 'anything' }
  | { readonly kind: 'primitive'; readonly type: 'boolean' | 'number' }
  | { readonly kind: 'oneOf'; readonly values: readonly unknown[] }
  | ListRule
  | ObjectRule
  /** An object whose `type` picks its rule. */
  | { readonly kind: 'byType'; readonly types: Rules };

export interface ListRule {
  readonly kind: 'list';
  readonly most: number;
  readonly item: Rule;
  /** Stands for an item of which nothing is left, so that its neighbours stay in their places. */
  readonly nothing?: { readonly type: string; readonly text: string };
}

export interface ObjectRule {
  readonly kind: 'object';
  readonly required: Rules;
  readonly optional: Rules;
  /** At least one of these must be there. */
  readonly anyOf: readonly string[];
}

type Rules = Readonly<Record<string, Rule>>;

/** "up to 50 blocks in each message". */
export const MAX_BLOCKS = 50;
/** All tables of a message together. */
export const MAX_TABLE_TEXT = 10_000;

const ANYTHING: Rule = { kind: 'anything' };
const FLAG: Rule = { kind: 'primitive', type: 'boolean' };
const NUMBER: Rule = { kind: 'primitive', type: 'number' };
const URL: Rule = { kind: 'url' };

function text(most: number, isMrkdwn = false): Rule {
  return { kind: 'text', most, isMrkdwn };
}

function list(most: number, item: Rule): ListRule {
  return { kind: 'list', most, item };
}

function object(required: Rules, optional: Rules = {}, anyOf: readonly string[] = []): ObjectRule {
  return { kind: 'object', required, optional, anyOf };
}

function byType(types: Rules): Rule {
  return { kind: 'byType', types };
}

function oneOf(...values: readonly unknown[]): Rule {
  return { kind: 'oneOf', values };
}

const ID = text(255);
const plainOnly = (most: number) => ({ plain_text: object({ text: text(most) }, { emoji: FLAG }) });
const plain = (most: number) => byType(plainOnly(most));
const texts = (most: number) => ({
  ...plainOnly(most),
  mrkdwn: object({ text: text(most, true) }, { verbatim: FLAG }),
});
const anyText = (most: number) => byType(texts(most));

/** A block with its optional `block_id`. */
function block(required: Rules, optional: Rules = {}, anyOf: readonly string[] = []): ObjectRule {
  return object(required, { ...optional, block_id: ID }, anyOf);
}

const IMAGE_SOURCES = { image_url: URL, slack_file: ANYTHING };
const image = object({ alt_text: text(2000) }, IMAGE_SOURCES, ['image_url', 'slack_file']);

const confirm = object(
  { title: plain(100), text: anyText(300), confirm: plain(30), deny: plain(30) },
  { style: oneOf('primary', 'danger') },
);

const button = object(
  { text: plain(75) },
  {
    action_id: ID,
    url: URL,
    value: text(2000),
    style: oneOf('primary', 'danger'),
    confirm,
    accessibility_label: text(75),
  },
);

/** Known, but nothing that a notification would use, so that their insides are not looked at. */
function others(types: string): Rules {
  return Object.fromEntries(types.split(' ').map((type) => [type, ANYTHING]));
}

const ELEMENTS = others(
  'static_select external_select users_select conversations_select channels_select multi_static_select ' +
    'multi_external_select multi_users_select multi_conversations_select multi_channels_select overflow datepicker ' +
    'datetimepicker timepicker radio_buttons checkboxes workflow_button',
);

const style = object(
  {},
  { bold: FLAG, italic: FLAG, strike: FLAG, code: FLAG, underline: FLAG, highlight: FLAG },
);

/** No limit of its own is documented. */
const RUN = text(8000);

const run = byType({
  text: object({ text: RUN }, { style }),
  link: object({ url: URL }, { text: RUN, style, unsafe: FLAG }),
  emoji: object({ name: ID }, { unicode: ID, style }),
  user: object({ user_id: ID }, { style }),
  usergroup: object({ usergroup_id: ID }, { style }),
  team: object({ team_id: ID }, { style }),
  channel: object({ channel_id: ID }, { style }),
  broadcast: object({ range: oneOf('here', 'channel', 'everyone') }, { style }),
  color: object({ value: ID }),
  date: object({ timestamp: NUMBER, format: ID }, { url: URL, fallback: ID, style }),
});

const MANY = 1000;
const section = object({ elements: list(MANY, run) });
const bordered = { elements: list(MANY, run) };

const richTextPart = byType({
  rich_text_section: section,
  rich_text_list: object(
    { style: oneOf('bullet', 'ordered'), elements: list(MANY, byType({ rich_text_section: section })) },
    { indent: NUMBER, offset: NUMBER, border: NUMBER },
  ),
  rich_text_preformatted: object(bordered, { border: NUMBER, language: ID }),
  rich_text_quote: object(bordered, { border: NUMBER }),
});

const richText = block({ elements: list(MANY, richTextPart) });

const cell = byType({
  raw_text: object({ text: text(3000) }),
  raw_number: object({ value: NUMBER }, { text: ID }),
  rich_text: richText,
});

const row: ListRule = { ...list(20, cell), nothing: { type: 'raw_text', text: '–' } };

export const BLOCKS: ListRule = list(
  MAX_BLOCKS,
  byType({
    divider: block({}),
    header: block({ text: plain(150) }),
    section: block(
      {},
      {
        text: anyText(3000),
        fields: list(10, anyText(2000)),
        accessory: byType({ button, image, ...ELEMENTS }),
        expand: FLAG,
      },
      ['text', 'fields'],
    ),
    context: block({ elements: list(10, byType({ image, ...texts(3000) })) }),
    image: block({ alt_text: text(2000) }, { ...IMAGE_SOURCES, title: plain(2000) }, [
      'image_url',
      'slack_file',
    ]),
    actions: block({ elements: list(25, byType({ button, ...ELEMENTS })) }),
    rich_text: richText,
    markdown: block({ text: text(12_000) }),
    table: block({ rows: list(100, row) }, { column_settings: list(20, ANYTHING) }),
    ...others('video file context_actions data_table card carousel task_card plan contact_card'),
  }),
);
