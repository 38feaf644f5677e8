/** The JSON Schema of the config file, made from the schemas that the loader checks with. */
import { isSchema, mixed, type SchemaFieldDescription } from 'yup';
import type { ChannelType } from '../../channels/channel.ts';
import { isJsonObject } from '../../text/json.ts';
import { INTERPOLATED, scalarSchema } from './form.ts';
import { calendarSchema, daysFileSchema, outsideSchema } from './days.ts';
import { burstSchema, groupSchema, optionFields, rootSchema, timedMention } from './schema.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Integers are allowed because some chats' ids consist of digits. */
const ADDRESSES = [{ type: 'string' }, { type: 'integer' }];
const LIST = { type: 'array', items: { anyOf: ADDRESSES } };

/** JSON Schema draft 2020-12, for completion and checks in editors. */
export function configJsonSchema(channelTypes: ReadonlyMap<string, ChannelType>): JsonSchema {
  const types = [...channelTypes.values()];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Botbell config',
    ...withEmptySections(jsonSchemaOf(rootSchema.describe())),
    patternProperties: { '^x-': {} },
    $defs: {
      interpolated: { type: 'string', pattern: '\\$\\{' },
      channel: { oneOf: types.map(channelSchema) },
      address: { anyOf: [...ADDRESSES, { ...LIST, minItems: 1 }] },
      mentioned: { anyOf: [...ADDRESSES, LIST] },
      mention: { anyOf: [{ $ref: '#/$defs/mentioned' }, jsonSchemaOf(timedMention(mixed()).describe())] },
      calendar: jsonSchemaOf(calendarSchema.describe()),
      days_file: jsonSchemaOf(daysFileSchema.describe()),
      outside: jsonSchemaOf(outsideSchema.describe()),
      destination: destinationSchema(types),
      addresses: { type: 'array', minItems: 1, items: { $ref: '#/$defs/destination' } },
      group: { anyOf: [{ $ref: '#/$defs/addresses' }, jsonSchemaOf(groupSchema.describe())] },
      notify: {
        type: 'array',
        items: {
          anyOf: [{ type: 'string', description: 'Name of a group.' }, { $ref: '#/$defs/destination' }],
        },
      },
    },
  };
}

/** Allows null for optional sections: one whose lines are all comments counts as missing. */
function withEmptySections({ properties, required, ...root }: JsonSchema): JsonSchema {
  const sections = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([key, section]) =>
    (required as readonly string[]).includes(key)
      ? [key, section]
      : [key, { ...section, type: [section['type'], 'null'].flat() }],
  );
  return { ...root, properties: Object.fromEntries(sections) as JsonSchema, required };
}

function channelSchema({ type, settings }: ChannelType): JsonSchema {
  const { properties, required, ...schema } = jsonSchemaOf(settings.describe());
  const burst = jsonSchemaOf(burstSchema.describe());
  return {
    title: type,
    ...schema,
    properties: { type: { const: type }, ...(isJsonObject(properties) ? properties : {}), burst },
    required: ['type', ...(Array.isArray(required) ? (required as unknown[]) : [])],
  };
}

/** The keys are channel names, which only the loader knows, and the options of all channel types. */
function destinationSchema(types: readonly ChannelType[]): JsonSchema {
  const options = types.flatMap((type) => Object.entries(type.formatOf().options ?? {}));
  const fields = Object.entries(optionFields(Object.fromEntries(options)));
  return {
    type: 'object',
    description:
      'A channel’s name and whom it reaches there: one address or a list; and options that go with them.',
    minProperties: 1,
    properties: Object.fromEntries(fields.map(([key, field]) => [key, jsonSchemaOf(field.describe())])),
    additionalProperties: { $ref: '#/$defs/address' },
  };
}

/** Converts yup's description of a field. */
function jsonSchemaOf(field: SchemaFieldDescription): JsonSchema {
  const meta = metaOf(field);
  const written = 'default' in field && !('fields' in field) ? field.default : undefined;
  const byDefault = /^\d+$/.test(String(written)) ? Number(written) : written;
  return {
    ...(typeof meta['doc'] === 'string' && { description: meta['doc'] }),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(isJsonObject(meta['jsonSchema']) ? meta['jsonSchema'] : shapeOf(field)),
    ...(isSchema(meta['members']) && { additionalProperties: jsonSchemaOf(meta['members'].describe()) }),
  };
}

function metaOf(field: SchemaFieldDescription): JsonSchema {
  return 'meta' in field && isJsonObject(field.meta) ? field.meta : {};
}

function isRequired(field: SchemaFieldDescription): boolean {
  const { formerly, required } = metaOf(field);
  return formerly === undefined && (required !== undefined || ('optional' in field && !field.optional));
}

function shapeOf(field: SchemaFieldDescription): JsonSchema {
  if ('fields' in field) return objectShape(field.fields);
  if (field.type === 'array' && 'innerType' in field) return arrayShape(field.innerType);
  if (field.type !== 'string') return {};
  const names = 'oneOf' in field ? field.oneOf : [];
  if (names.length > 0) return { anyOf: [{ enum: names }, INTERPOLATED] };
  const tests = 'tests' in field ? field.tests : [];
  const regexes = tests.map(({ params }) => params?.['regex']).filter((regex) => regex instanceof RegExp);
  // A JSON Schema has no flags.
  const pattern = regexes.find(({ flags }) => /^u?$/.test(flags)) ?? /(?:)/u;
  return scalarSchema({ pattern });
}

function objectShape(fields: Readonly<Record<string, SchemaFieldDescription>>): JsonSchema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => isRequired(field)).map(([key]) => key);
  const properties = entries.flatMap(([key, field]) => {
    const [schema, { formerly }] = [jsonSchemaOf(field), metaOf(field)];
    return [[key, schema], ...(formerly === undefined ? [] : [[formerly, { ...schema, deprecated: true }]])];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as JsonSchema,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function arrayShape(inner: SchemaFieldDescription | SchemaFieldDescription[] | undefined): JsonSchema {
  return { type: 'array', ...(inner && !Array.isArray(inner) && { items: jsonSchemaOf(inner) }) };
}
