/** As much of a JSON Schema validator as the config's own schema needs; refuses keywords that it does not know. */
import { isJsonObject } from '../../src/text/json-object.ts';
import type { JsonSchema } from '../../src/config/json-schema.ts';

const ANNOTATIONS = new Set(['$schema', '$defs', 'title', 'description', 'default']);

const CHECKS: Readonly<
  Record<string, (rule: unknown, value: unknown, schema: JsonSchema, root: JsonSchema) => boolean>
> = {
  $ref: (rule, value, _schema, root) => isValid(value, definition(String(rule), root), root),
  type: (rule, value) => typeOf(value) === rule || (rule === 'number' && typeOf(value) === 'integer'),
  const: (rule, value) => rule === value,
  enum: (rule, value) => Array.isArray(rule) && rule.includes(value),
  pattern: (rule, value) => typeof value !== 'string' || new RegExp(String(rule), 'u').test(value),
  minimum: (rule, value) => typeof value !== 'number' || value >= Number(rule),
  maximum: (rule, value) => typeof value !== 'number' || value <= Number(rule),
  minItems: (rule, value) => !Array.isArray(value) || value.length >= Number(rule),
  uniqueItems: (_rule, value) => !Array.isArray(value) || new Set(value).size === value.length,
  minProperties: (rule, value) => !isJsonObject(value) || Object.keys(value).length >= Number(rule),
  items: (rule, value, _schema, root) =>
    !Array.isArray(value) || value.every((item) => isValid(item, rule as JsonSchema, root)),
  required: (rule, value) =>
    !isJsonObject(value) || (rule as string[]).every((key) => Object.hasOwn(value, key)),
  properties: (rule, value, _schema, root) =>
    entriesOf(value).every(
      ([key, item]) => !hasKey(rule, key) || isValid(item, rule[key] as JsonSchema, root),
    ),
  additionalProperties: (rule, value, schema, root) =>
    entriesOf(value).every(
      ([key, item]) =>
        hasKey(schema['properties'], key) || (isJsonObject(rule) ? isValid(item, rule, root) : rule === true),
    ),
  anyOf: (rule, value, _schema, root) => (rule as JsonSchema[]).some((each) => isValid(value, each, root)),
  oneOf: (rule, value, _schema, root) =>
    (rule as JsonSchema[]).filter((each) => isValid(value, each, root)).length === 1,
};

export function isValid(value: unknown, schema: JsonSchema, root: JsonSchema = schema): boolean {
  return Object.entries(schema).every(([keyword, rule]) => {
    if (ANNOTATIONS.has(keyword) || rule === undefined) return true;
    const check = CHECKS[keyword];
    if (!check) throw new Error(`unknown keyword ${keyword}`);
    return check(rule, value, schema, root);
  });
}

export function definition(reference: string, root: JsonSchema): JsonSchema {
  const definitions = root['$defs'] as Record<string, JsonSchema>;
  const found = definitions[reference.replace('#/$defs/', '')];
  if (!found) throw new Error(`no definition ${reference}`);
  return found;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function hasKey(value: unknown, key: string): value is Record<string, unknown> {
  return isJsonObject(value) && Object.hasOwn(value, key);
}
