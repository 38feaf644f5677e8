/** Validates one part of the config with a yup schema and reports problems in words for the config's author. */
import { ArraySchema, type ISchema, ObjectSchema, type Schema, ValidationError } from 'yup';
import { isJsonObject } from '../text/json.ts';
import { nearestOrAll } from '../text/nearest.ts';
import type { Known } from './form.ts';
import { parsePath, type Path } from './path.ts';
import type { Problems } from './problems.ts';
import { FAULT, type FieldMeta } from './schema-fields.ts';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  array: 'a list, such as [a, b]',
  object: 'a map of keys and values',
};

export const NO_VALUE = 'has no value: give one (in quotes where it begins with #), or leave the key out';

export interface Checking {
  readonly problems: Problems;
  readonly known?: Known;
}

/** @returns the part with defaults filled in and texts read; undefined if it has errors, which are added to `problems` */
export function checkSection<T>(
  schema: Schema<T>,
  value: unknown,
  path: Path,
  checking: Checking,
): T | undefined {
  const { read, isValid } = readSection(schema, value, path, checking);
  return isValid ? read : undefined;
}

/** @returns `read` as the schema's type has it but where there are errors, which are added to `problems` */
export function readSection<T>(
  schema: Schema<T>,
  value: unknown,
  path: Path,
  { problems, known }: Checking,
): { readonly read: T; readonly isValid: boolean } {
  const data = prepared(value, schema, path, { problems, known });
  const doubt = (at: Path, what: string) => problems.warning([...path, ...at], what);
  const read = schema.cast(data, { context: { ...known, doubt }, assert: false });
  const errors = errorsOf(schema, read, known)
    .map((error) => ({ at: [...path, ...parsePath(error.path ?? '')], sentence: sentenceOf(error) }))
    // A reference that could not be resolved has its own problem, or is accepted by `withoutSecrets`.
    .filter(({ at }) => !problems.isUnknown(at));
  for (const { at, sentence } of errors) problems.error(at, sentence);
  return { read, isValid: errors.length === 0 };
}

function errorsOf(schema: Schema, data: unknown, context: Known | undefined): ValidationError[] {
  try {
    schema.validateSync(data, { strict: true, abortEarly: false, context });
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const errors = error.inner.length > 0 ? error.inner : [error];
    // A value that is missing or of another type breaks further rules, which would say no more.
    const isFirst = ({ type }: ValidationError) => type === 'typeError' || type === 'required';
    const broken = new Set(errors.filter(isFirst).map(({ path }) => path));
    return errors.filter((error) => isFirst(error) || !broken.has(error.path));
  }
}

/** @returns the text that follows the value's path */
function sentenceOf({ value, type, params, path, message }: ValidationError): string {
  if (type === FAULT) return message;
  if (value === null) return NO_VALUE;
  // yup's own message for a wrong type shows the value, which may be long or secret.
  if (type === 'typeError' && message.includes('but the final value was'))
    return `must be ${TYPE_NAMES[String(params?.['type'])] ?? 'of another type'}`;
  const subject = `${path || 'this'} `;
  if (!message.startsWith(subject)) return `is wrong: ${message}`;
  return message.slice(subject.length).replace(/^is a required field$/, 'is missing');
}

/**
 * Replaces unresolved references by stand-ins, gives deprecated keys their new names, and removes and reports unknown keys, since
 * yup's error for them has no path.
 */
function prepared(value: unknown, of: ISchema<unknown>, path: Path, checking: Checking): unknown {
  const { problems, known } = checking;
  const schema = of.resolve({ value, context: known }) as Schema;
  if (problems.isUnknown(path)) return standInFor(schema);
  if (Array.isArray(value) && schema instanceof ArraySchema) {
    const inner = schema.innerType;
    return inner
      ? value.map((item: unknown, index) => prepared(item, inner, [...path, index], checking))
      : value;
  }
  if (!isJsonObject(value) || !(schema instanceof ObjectSchema)) return value;
  const fields = new Map(Object.entries(schema.fields as Readonly<Record<string, ISchema<unknown>>>));
  const renamed = new Map([...fields].map(([key, field]) => [metaOf(field).formerly, key]));
  const entries = Object.entries(value).flatMap(([written, item]) => {
    const key = renamed.get(written) ?? written;
    const field = fields.get(key);
    if (field === undefined || (key !== written && key in value)) {
      const twice = `is deprecated, and ${key} stands beside it: remove one of them`;
      problems.error(
        [...path, written],
        field ? twice : `: unknown key${HINTS.get(key) ?? nearestOrAll(key, [...fields.keys()])}`,
      );
      return [];
    }
    const at = [...path, key];
    if (key !== written) problems.deprecated(at, written);
    return [[key, prepared(item, field, at, checking)] as const];
  });
  const defaults = [...fields].map(([key, field]) => [key, metaOf(field).byDefault] as const);
  const missing = defaults.filter(([key, byDefault]) => byDefault !== undefined && !(key in value));
  return Object.fromEntries([...missing, ...entries]);
}

/** Of keys that are easily mistaken. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['true', ': YAML 1.1 reads and writes `on` so; write on'],
  ['template_set', '; it belongs to the route, beside notify'],
]);

/** @returns a value that passes the schema; undefined, as for a missing key, if the schema has neither an example nor a default */
function standInFor(schema: Schema): unknown {
  return metaOf(schema).example ?? schema.getDefault() ?? (schema instanceof ArraySchema ? [] : undefined);
}

function metaOf(field: ISchema<unknown>): Partial<FieldMeta> {
  return (field as Schema).meta() ?? {};
}
