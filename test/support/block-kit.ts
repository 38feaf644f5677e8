/** The blocks that Slack takes in a message (Block Kit reference), written independently of the code under test. */
import { Ajv } from 'ajv';
import { isUsableUrl } from '../../src/channels/slack/message.ts';
import { textLength } from '../../src/channels/slack/own-blocks.ts';
import { isBlank } from '../../src/text/clean.ts';
import { isJsonObject } from '../../src/text/json.ts';

export type BlockFlaw = ReturnType<typeof flawsOfBlocks>[number];

type Rule = Readonly<Record<string, unknown>>;
type Rules = Readonly<Record<string, Rule>>;

/** "up to 50 blocks in each message". */
const MAX_BLOCKS = 50;
const MAX_TABLE_TEXT = 10_000;
/** Where Slack documents no limit: more than the shortest links of one message. */
const MANY = 2000;

const FORMATS = {
  words: (text: string) => !isBlank(text) && text.isWellFormed(),
  // A run may be blanks alone, to separate two others.
  run: (text: string) => text.isWellFormed(),
  address: (text: string) => isUsableUrl(text) || /^(?:mailto|slack):/.test(text),
};

const anything: Rule = {};
const flag: Rule = { type: 'boolean' };
const url: Rule = { type: 'string', format: 'address' };
const text = (maxLength: number, format = 'words') => ({ type: 'string', minLength: 1, maxLength, format });
const list = (maxItems: number, items: Rule): Rule => ({ type: 'array', minItems: 1, maxItems, items });

/** @param anyOf at least one of these is required */
const object = (required: Rules, optional: Rules = {}, anyOf: readonly string[] = []): Rule => ({
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
  ...(anyOf.length > 0 && { anyOf: anyOf.map((key) => ({ required: [key] })) }),
});

const byType = (types: Rules): Rule => ({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: Object.entries(types).map(([type, { properties, ...rule }]) => ({
    ...rule,
    properties: { type: { const: type }, ...(properties as object) },
  })),
});

/** Runs whose contents are not checked. */
const others = (types: string): Rules => Object.fromEntries(types.split(' ').map((type) => [type, anything]));

const id = text(255);
const plain = (most: number): Rules => ({ plain_text: object({ text: text(most) }, { emoji: flag }) });
const mrkdwn = (most: number) => object({ text: text(most) }, { verbatim: flag });
const texts = (most: number): Rules => ({ ...plain(most), mrkdwn: mrkdwn(most) });

const block = (required: Rules, optional: Rules = {}, anyOf: readonly string[] = []) =>
  object(required, { ...optional, block_id: id }, anyOf);

const SOURCES = ['image_url', 'slack_file'];
const sources = { image_url: url, slack_file: anything };
const image = object({ alt_text: text(2000) }, sources, SOURCES);

const ofButton = { action_id: id, url, value: text(2000), confirm: anything, accessibility_label: text(75) };
const button = object({ text: byType(plain(75)) }, { ...ofButton, style: { enum: ['primary', 'danger'] } });

const words = text(8000, 'run');
const styled = { style: anything };
const link = object({ url }, { text: words, unsafe: flag, ...styled });
const runs = byType({
  text: object({ text: words }, styled),
  link,
  ...others('emoji user usergroup team channel broadcast color date'),
});
const ofRuns = { elements: list(MANY, runs) };
const section = { rich_text_section: object(ofRuns) };
const ofList = { style: { enum: ['bullet', 'ordered'] }, elements: list(MANY, byType(section)) };

const richText = block({
  elements: list(
    MANY,
    byType({
      ...section,
      rich_text_list: object(ofList, { indent: anything, offset: anything, border: anything }),
      rich_text_preformatted: object(ofRuns, { border: anything, language: id }),
      rich_text_quote: object(ofRuns, { border: anything }),
    }),
  ),
});

const cell = byType({
  raw_text: object({ text: text(3000) }),
  raw_number: object({ value: anything }, { text: id }),
  rich_text: richText,
});

const ofSection = {
  text: byType(texts(3000)),
  fields: list(10, byType(texts(2000))),
  accessory: byType({ button, image }),
  expand: flag,
};

const blocks = byType({
  divider: block({}),
  header: block({ text: byType(plain(150)) }),
  section: block({}, ofSection, ['text', 'fields']),
  context: block({ elements: list(10, byType({ image, ...texts(3000) })) }),
  image: block({ alt_text: text(2000) }, { ...sources, title: byType(plain(2000)) }, SOURCES),
  actions: block({ elements: list(25, byType({ button })) }),
  rich_text: richText,
  markdown: block({ text: text(12_000) }),
  table: block({ rows: list(100, list(20, cell)) }, { column_settings: list(20, anything) }),
});

const options = { allErrors: true, discriminator: true, strict: false, unicode: false } as const;
const validate = new Ajv({ ...options, logger: false, formats: FORMATS }).compile(list(MAX_BLOCKS, blocks));

const isTable = (value: unknown) => isJsonObject(value) && value['type'] === 'table';

/** @returns each flaw at its path: `blocks/3/text` */
export function flawsOfBlocks(given: readonly unknown[]) {
  validate(given);
  const flaws = (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
    const { additionalProperty: key } = params as { readonly additionalProperty?: string };
    return { path: `blocks${instancePath}`, message: key === undefined ? message : `${message}: ${key}` };
  });
  const [first, second] = [...given.keys()].filter((index) => isTable(given[index]));
  if (second !== undefined) flaws.push({ path: `blocks/${second}`, message: 'only_one_table_allowed' });
  if (first !== undefined && textLength(given.filter(isTable)) > MAX_TABLE_TEXT)
    flaws.push({ path: `blocks/${first}`, message: `must NOT have more than ${MAX_TABLE_TEXT} characters` });
  return flaws;
}
