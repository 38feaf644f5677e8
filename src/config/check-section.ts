/** Runs a yup schema over one part of the config and says what is wrong in the reader's terms. */
import { isJsonObject } from '../text/json-object.ts';
import { ValidationError, type Schema, type SchemaFieldDescription } from 'yup';
import { nearestOrAll } from '../text/nearest.ts';
import { memberRule } from './field-rules.ts';
import type { Problems } from './problems.ts';
import type { FieldMeta } from './schema-fields.ts';
import { parsePath, pathText, type Path } from './path.ts';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  array: 'a list, such as [a, b]',
  object: 'a map of keys and values',
};

/**
 * The part with its defaults filled in; undefined, with errors in `problems`, where something is wrong with it.
 * A number or boolean may be a text where it came from interpolation.
 */
export function checkSection<T>(
  schema: Schema<T>,
  value: unknown,
  path: Path,
  problems: Problems,
): T | undefined {
  const data = prepared(value, schema.describe({ value }), path, problems);
  const errors = errorsOf(schema, data);
  for (const error of errors)
    problems.error([...path, ...parsePath(error.path ?? '')], sentenceOf(error, problems));
  // Casting after strict validation only fills in defaults.
  return errors.length === 0 ? schema.cast(data) : undefined;
}

function errorsOf(schema: Schema, data: unknown): ValidationError[] {
  try {
    schema.validateSync(data, { strict: true, abortEarly: false });
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const errors = error.inner.length > 0 ? error.inner : [error];
    const mistyped = new Set(errors.filter(({ type }) => type === 'typeError').map(({ path }) => path));
    return errors.filter(({ type, path }) => type === 'typeError' || !mistyped.has(path));
  }
}

/** What follows the value's path. */
function sentenceOf({ value, type, params, path, message }: ValidationError, problems: Problems): string {
  if (value === null)
    return 'has no value: give one (in quotes where it begins with #), or leave the key out';
  // yup's own message of a wrong type shows the value, which may be long or secret.
  if (type === 'typeError' && message.includes('but the final value was'))
    return typeSentence(String(params?.['type']), value);
  const choices = type === 'oneOf' ? params?.['resolved'] : undefined;
  if (Array.isArray(choices) && typeof value === 'string')
    return memberRule(value, choices.map(String)) ?? 'is of the wrong type';
  const subject = `${path || 'this'} `;
  const said = problems.redact(message);
  if (!said.startsWith(subject)) return `is wrong: ${said}`;
  return said.slice(subject.length).replace(/^is a required field$/, 'is missing');
}

function typeSentence(type: string, value: unknown): string {
  const canQuote = type === 'string' && (typeof value === 'number' || typeof value === 'boolean');
  return `must be ${TYPE_NAMES[type] ?? type}${canQuote ? ': put it in quotes' : ''}`;
}

/**
 * With numbers and booleans that interpolation could give only as text, with a stand-in for what it could not give, and
 * without unknown keys, of which it is told: yup's own error of them has no place.
 */
function prepared(
  value: unknown,
  description: SchemaFieldDescription,
  path: Path,
  problems: Problems,
): unknown {
  if (problems.isUnknown(path)) return standInFor(description);
  if (Array.isArray(value)) return preparedItems(value, description, path, problems);
  const fields = 'fields' in description ? new Map(Object.entries(description.fields)) : undefined;
  if (!fields || !isJsonObject(value))
    return typeof value === 'string' && problems.isInterpolated(path) ? typed(value, description) : value;
  const entries = Object.entries(value).map(([key, item]) => {
    const at = [...path, key];
    const field = fields.get(key);
    if (field) return [key, prepared(item, field, at, problems)] as const;
    problems.errorAtKey(at, unknownKey(key, path, [...fields.keys()]));
    return [key, undefined] as const;
  });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function preparedItems(
  items: readonly unknown[],
  description: SchemaFieldDescription,
  path: Path,
  problems: Problems,
): unknown[] {
  const [inner] = 'innerType' in description ? [description.innerType ?? []].flat() : [];
  return items.map((item, index) => {
    const at = [...path, index];
    if (problems.isUnknown(at)) return standInFor(description);
    return inner ? prepared(item, inner, at, problems) : item;
  });
}

function typed(text: string, description: SchemaFieldDescription): unknown {
  if (description.type === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text);
  const isFlag = metaOf(description).isFlag === true;
  return isFlag && /^(true|false)$/.test(text) ? text === 'true' : text;
}

function metaOf(description: SchemaFieldDescription): Partial<FieldMeta> {
  return 'meta' in description ? { ...description.meta } : {};
}

/** A value that would pass; undefined, as if it were not there, where nothing is known of such values. */
function standInFor(description: SchemaFieldDescription): unknown {
  return metaOf(description).example ?? ('default' in description ? description.default : undefined);
}

function unknownKey(key: string, parent: Path, known: readonly string[]): string {
  const where = parent.length === 0 ? 'at the top level' : `in ${pathText(parent)}`;
  return `unknown key ${JSON.stringify(key)} ${where}${nearestOrAll(key, known)}`;
}
