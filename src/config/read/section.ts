/** Validates one part of the config with a yup schema and reports problems in words for the config's author. */
import { ArraySchema, type ISchema, ObjectSchema, type Schema, ValidationError } from 'yup';
import { isJsonObject } from '../../text/json.ts';
import { Fault, faultSaid } from '../../text/fault.ts';
import { nearestOrAll } from '../../text/nearest.ts';
import type { Known } from '../schema/form.ts';
import { NAME } from '../schema/forms.ts';
import { parsePath, type Path } from '../path.ts';
import type { Problems } from '../problems.ts';
import { FAULT, type FieldMeta } from '../schema/fields.ts';
import { fault } from '../words.ts';

const OF_TYPES: Readonly<Record<string, Fault>> = {
  string: fault('type.text'),
  number: fault('type.number'),
  array: fault('list', { example: '[a, b]' }),
  object: fault('type.map'),
  boolean: fault('type.boolean'),
};

export interface Checking {
  readonly problems: Problems;
  readonly known?: Known;
  /** Keys of the section that are read apart, which an unknown one may be meant for. */
  readonly others?: readonly string[];
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

/** @returns `read`: of the schema's type, except where there are errors, which are added to `problems` */
export function readSection<T>(
  schema: Schema<T>,
  value: unknown,
  path: Path,
  { others = [], ...checking }: Checking,
): { readonly read: T; readonly isValid: boolean } {
  const { problems, known } = checking;
  const data = prepared(value, schema, path, checking, others);
  const doubt = (at: Path, what: Fault) => problems.warning([...path, ...at], what);
  const read = schema.cast(data, { context: { ...known, doubt }, assert: false });
  const errors = errorsOf(schema, read, known)
    .map((error) => ({ at: [...path, ...parsePath(error.path ?? '')], what: faultOf(error) }))
    // A reference that could not be resolved has its own problem, or is accepted by `withoutSecrets`.
    .filter(({ at }) => !problems.isUnknown(at));
  for (const { at, what } of errors) problems.error(at, what);
  return { read, isValid: errors.length === 0 };
}

/** An entry of a map whose keys are names that the config chooses. */
export type NamedEntry = readonly [name: string, entry: unknown, path: Path];

export function entriesOf(
  key: 'channels' | 'groups' | 'calendars',
  map: unknown,
  problems: Problems,
): NamedEntry[] {
  if (map !== undefined && !isJsonObject(map)) problems.error([key], fault('type.map'));
  return Object.entries(isJsonObject(map) ? map : {}).map(([name, entry]) => {
    const path = [key, name];
    if (!NAME.test(name)) problems.error(path, fault('name'));
    return [name, entry, path];
  });
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

/** Takes yup's own sentence, but not for a wrong type, where it shows the value, which may be long or secret. */
function faultOf({ value, type, params, path, errors }: ValidationError): Fault {
  const [said] = errors as readonly unknown[];
  if (type === FAULT && said instanceof Fault) return said;
  if (value === null) return fault('no value');
  if (said instanceof Fault) return said;
  if (type === 'typeError') return OF_TYPES[String(params?.['type'])] ?? fault('type.other');
  if (type === 'required' || type === 'optionality') return fault('missing');
  return faultSaid(String(said).replace(`${path || 'this'} `, ''));
}

/**
 * Replaces unresolved references by stand-ins, gives deprecated keys their new names, and removes and reports unknown keys, since
 * yup's error for them has no path.
 */
function prepared(
  value: unknown,
  of: ISchema<unknown>,
  path: Path,
  checking: Checking,
  others: readonly string[] = [],
): unknown {
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
      const hint = HINTS.get(key) ?? nearestOrAll(key, [...fields.keys(), ...others]);
      const what = field ? fault('deprecated twice', { name: key }) : fault('unknown key', { hint });
      problems.error([...path, written], what);
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

/** For keys that are easily mistaken. */
const HINTS: ReadonlyMap<string, Fault> = new Map([
  ['true', fault('hint.true')],
  ['template_set', fault('hint.template_set')],
]);

/** @returns a value that passes the schema; undefined, as for a missing key, if the schema has neither an example nor a default */
function standInFor(schema: Schema): unknown {
  return metaOf(schema).example ?? schema.getDefault() ?? (schema instanceof ArraySchema ? [] : undefined);
}

function metaOf(field: ISchema<unknown>): Partial<FieldMeta> {
  return (field as Schema).meta() ?? {};
}
