/** Whom a config may have told: addresses on channels, with options, and groups of them. */
import { array, type InferType, lazy, mixed, object, type Schema } from 'yup';
import { AddressError } from '../channels/channel.ts';
import { PER_JOB, type PerJob, WEEKDAYS } from '../signal/rules.ts';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';
import { nearest, nearestOrAll } from '../text/nearest.ts';
import { groupRule, type Known, type KnownChannel, nameRule, timeOfDayRule } from './field-rules.ts';
import type { Path } from './path.ts';
import { choice, faultOf, section, someOf, text, textOrTexts } from './schema-fields.ts';

export function perJobField(modes: readonly PerJob[] = PER_JOB) {
  const doc =
    'A job’s messages: one each (message, the default), replies under the first one, or one that is edited.';
  return choice(modes, doc);
}

/** A list of addresses such as `{ slack: ["#ops", "#shop"], mention_on_error: "@here" }`, and of names of groups. */
function listOf(wanted: string, example: string, schemaOfText: Schema<unknown>) {
  const wrong = wrongly(`must be ${wanted}`);
  const entry = lazy((value: unknown, { context }: { context?: Known }): Schema<unknown> => {
    if (isJsonObject(value)) return schemaOfEntry(value, context);
    return typeof value === 'string' ? schemaOfText : wrong;
  });
  return array(entry)
    .strict()
    .typeError(`\${path} must be a list, such as ${example}`)
    .test('once', (entries, context) => {
      const told = namesIn(entries, (context.options.context as Known).channels);
      const again = told.find(({ name }, index) => told.findIndex((each) => each.name === name) < index);
      return again === undefined || faultOf(context, 'is a duplicate: this list tells it already', again.at);
    });
}

function wrongly(what: string): Schema<unknown> {
  return mixed().test('wrong', (_value, context) => faultOf(context, what));
}

const AN_ADDRESS = 'an address such as { slack: "#ops" }';

const addresses = listOf(AN_ADDRESS, '[{ slack: "#ops" }]', wrongly(`must be ${AN_ADDRESS}`)).min(
  1,
  '${path} must name at least one address',
);

export const notifyField = listOf(
  `the name of a group, or ${AN_ADDRESS}`,
  '[operators, { slack: "#ops" }]',
  text(groupRule, 'Name of a group.'),
)
  .defined('${path} is missing: name whom to tell, such as [operators], or [] for nobody')
  .meta({
    doc: 'Whom to tell: names of groups, and addresses on channels. Empty: nobody, not even by default_route.',
    jsonSchema: { $ref: '#/$defs/notify' },
  });

export const groupSchema = section('Addresses that are told together, and now and then how their BOTs did.', {
  notify: addresses
    .defined('${path} is missing: name at least one address')
    .meta({ doc: 'Addresses on channels.', jsonSchema: { $ref: '#/$defs/addresses' } }),
  digest: section('What ran, failed or was missed since the last one, also where all is well.', {
    at: text(timeOfDayRule, 'Time of day, in the display’s timezone.').default('09:00'),
    days: someOf(WEEKDAYS, 'Weekdays. Default: all.'),
  })
    .default(undefined)
    .optional(),
});

export type GroupSection = InferType<typeof groupSchema> | readonly unknown[];

export const groupsField = lazy((groups: unknown) => {
  const group = lazy((value: unknown) => (isJsonObject(value) ? groupSchema : addresses));
  const names = Object.keys(isJsonObject(groups) ? groups : {});
  return object(Object.fromEntries(names.map((name) => [name, group])))
    .strict()
    .typeError('${path} must be a map of names and addresses')
    .default({})
    .test('names', (_groups, context) => {
      const name = names.find((each) => nameRule(each) !== undefined);
      return name === undefined || faultOf(context, `: the name of a group ${nameRule(name)}`, [name]);
    }) as unknown as Schema<Readonly<Record<string, GroupSection>>>;
}).meta({
  doc: 'Addresses that are told together, by a name of your choice.',
  jsonSchema: { type: 'object', additionalProperties: { $ref: '#/$defs/group' } },
});

/** An entry names one channel by its key; what else it has are options. */
function schemaOfEntry(entry: JsonObject, known: Known | undefined): Schema<unknown> {
  const channels = known?.channels ?? new Map<string, KnownChannel | undefined>();
  const named = channelsIn(entry, channels);
  const [name] = named;
  if (named.length > 1)
    return wrongly(`names ${named.length} channels (${named.join(', ')}): make it an entry each`);
  if (name !== undefined) return schemasOfAddresses(name, channels.get(name));
  const names = [...channels.keys()];
  // That there are none at all has been said.
  if (names.length === 0) return mixed();
  const keys = Object.keys(entry);
  const meant = keys.find((key) => nearest(key, names) !== undefined) ?? keys[0] ?? '';
  return wrongly(`: there is no channel ${JSON.stringify(meant)}${nearestOrAll(meant, names)}`);
}

function channelsIn(entry: JsonObject, channels: Known['channels']): string[] {
  return Object.keys(entry).filter((key) => channels.has(key));
}

const schemas = new WeakMap<KnownChannel, Schema>();

/** Made once for a channel, since a config may have thousands of entries. */
function schemasOfAddresses(name: string, channel: KnownChannel | undefined): Schema {
  if (channel === undefined) return mixed();
  const made = schemas.get(channel) ?? addressesOn(name, channel);
  schemas.set(channel, made);
  return made;
}

function addressesOn(name: string, channel: KnownChannel): Schema {
  const addressRule = (text: string) => {
    const { wrong } = addressOn(channel, text);
    return wrong && `: ${wrong}`;
  };
  return section('Whom to tell on one channel.', {
    [name]: textOrTexts(addressRule, 'Whom it reaches there.'),
    ...channel.type.optionsOf(channel.settings),
    per_job: perJobField(['message', ...(channel.type.perJob ?? [])]),
  });
}

/** An address in its canonical form, or what is wrong with it. */
function addressOn({ type, settings }: KnownChannel, text: string): { address?: string; wrong?: string } {
  try {
    return { address: type.parseAddress(text, settings) };
  } catch (error) {
    if (error instanceof AddressError) return { wrong: error.message };
    throw error;
  }
}

/** A group that a list names, or an address of one, which tells somebody. */
interface Named {
  /** Of the group, or the destination. */
  readonly name: string;
  readonly at: Path;
  readonly told?: {
    /** `<channel>:<address>` */
    readonly destination: string;
    readonly channel: string;
    readonly address: string;
    readonly options: JsonObject;
    readonly perJob: PerJob;
  };
}

/** What a list names, in its order; whatever is wrong with an entry is left out. */
export function namesIn(entries: unknown, channels: Known['channels']): Named[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown, index) => {
    if (typeof entry === 'string') return [{ name: entry, at: [index] }];
    return isJsonObject(entry) ? addressesIn(entry, index, channels) : [];
  });
}

function addressesIn(entry: JsonObject, index: number, channels: Known['channels']): Named[] {
  const [channel = ''] = channelsIn(entry, channels);
  const known = channels.get(channel);
  if (known === undefined) return [];
  const { [channel]: written, per_job: mode, ...options } = entry;
  const perJob = PER_JOB.find((each) => each === mode) ?? 'message';
  return [written].flat().flatMap((text: unknown, position) => {
    const { address } = typeof text === 'string' ? addressOn(known, text) : {};
    if (address === undefined) return [];
    const destination = `${channel}:${address}`;
    const at = Array.isArray(written) ? [index, channel, position] : [index, channel];
    return [{ name: destination, at, told: { destination, channel, address, options, perJob } }];
  });
}
