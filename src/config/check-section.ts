/** Runs a yup schema over one part of the config and says what is wrong in the reader's terms. */
import { ArraySchema, type ISchema, ObjectSchema, type Schema, ValidationError } from 'yup';
import { isJsonObject, type JsonObject } from '../text/json-object.ts';
import { nearestOrAll } from '../text/nearest.ts';
import type { Known } from './field-rules.ts';
import { parsePath, type Path } from './path.ts';
import type { Problems } from './problems.ts';
import { FAULT, type FieldMeta } from './schema-fields.ts';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  array: 'a list, such as [a, b]',
  object: 'a map of keys and values',
};

/**
 * The part with its defaults filled in; undefined, with errors in `problems`, where something is wrong with it. A text may
 * be written as a number or a boolean, and these may come as texts from interpolation.
 */
export function checkSection<T>(
  schema: Schema<T>,
  value: unknown,
  path: Path,
  { problems, known }: { readonly problems: Problems; readonly known?: Known },
): T | undefined {
  const data = new Preparation(problems, known).prepared(value, schema, path);
  const errors = errorsOf(schema, data, known).map((error) => ({
    at: [...path, ...parsePath(error.path ?? '')],
    sentence: sentenceOf(error),
  }));
  // What refers to something that is not there has been told of, or is taken for granted.
  const told = errors.filter(({ at }) => !problems.isUnknown(at));
  for (const { at, sentence } of told) problems.error(at, sentence);
  // Casting after strict validation only fills in defaults.
  return told.length === 0 ? schema.cast(data, { context: known, assert: false }) : undefined;
}

function errorsOf(schema: Schema, data: unknown, context: Known | undefined): ValidationError[] {
  try {
    schema.validateSync(data, { strict: true, abortEarly: false, context });
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const errors = error.inner.length > 0 ? error.inner : [error];
    const mistyped = new Set(errors.filter(({ type }) => type === 'typeError').map(({ path }) => path));
    return errors.filter(({ type, path }) => type === 'typeError' || !mistyped.has(path));
  }
}

/** What follows the value's path. */
function sentenceOf({ value, type, params, path, message }: ValidationError): string {
  if (type === FAULT) return message;
  if (value === null)
    return 'has no value: give one (in quotes where it begins with #), or leave the key out';
  // yup's own message of a wrong type shows the value, which may be long or secret.
  if (type === 'typeError' && message.includes('but the final value was'))
    return `must be ${TYPE_NAMES[String(params?.['type'])] ?? 'of another type'}`;
  const subject = `${path || 'this'} `;
  if (!message.startsWith(subject)) return `is wrong: ${message}`;
  return message.slice(subject.length).replace(/^is a required field$/, 'is missing');
}

type Fields = Readonly<Record<string, ISchema<unknown>>>;

/** Makes of what was written what the schema is to judge. */
class Preparation {
  readonly #problems: Problems;
  readonly #known: Known | undefined;

  constructor(problems: Problems, known: Known | undefined) {
    this.#problems = problems;
    this.#known = known;
  }

  /** With a stand-in for what interpolation could not give. */
  prepared(value: unknown, of: ISchema<unknown>, path: Path): unknown {
    const schema = of.resolve({ value, context: this.#known }) as Schema;
    if (this.#problems.isUnknown(path)) return standInFor(schema);
    if (Array.isArray(value) && schema instanceof ArraySchema) {
      const inner = schema.innerType;
      return value.map((item: unknown, index) =>
        inner ? this.prepared(item, inner, [...path, index]) : item,
      );
    }
    if (isJsonObject(value))
      return schema instanceof ObjectSchema ? this.#fields(value, schema.fields as Fields, path) : value;
    return this.#ofType(schema.type, value, path);
  }

  /** Without unknown keys, of which it is told: yup's own error of them has no place. */
  #fields(value: JsonObject, fields: Fields, path: Path): JsonObject {
    const known = new Map(Object.entries(fields));
    const entries = Object.entries(value).flatMap(([key, item]) => {
      const at = [...path, key];
      const field = known.get(key);
      if (field) return [[key, this.prepared(item, field, at)] as const];
      this.#problems.error(at, `: unknown key${nearestOrAll(key, [...known.keys()])}`);
      return [];
    });
    return Object.fromEntries(entries);
  }

  #ofType(type: string, value: unknown, path: Path): unknown {
    if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean'))
      return this.#problems.writtenAt(path) ?? value;
    if (typeof value !== 'string' || !this.#problems.isInterpolated(path)) return value;
    if (type === 'number' && /^-?\d{1,15}$/.test(value)) return Number(value);
    return type === 'boolean' && /^(true|false)$/.test(value) ? value === 'true' : value;
  }
}

/** A value that would pass; undefined, as if it were not there, where nothing is known of such values. */
function standInFor(schema: Schema): unknown {
  const meta: Partial<FieldMeta> = schema.meta() ?? {};
  return meta.example ?? schema.getDefault() ?? (schema instanceof ArraySchema ? [] : undefined);
}
