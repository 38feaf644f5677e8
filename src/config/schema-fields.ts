/** Builds the yup schemas of the config's fields, each with its documentation. */
import { array, boolean, lazy, mixed, number, object, string, type ObjectShape, type TestContext } from 'yup';
import { memberRule, type Known, type Rule } from './field-rules.ts';
import { parsePath, type Path, pathText } from './path.ts';

/** A field's `.meta()`, from which the JSON Schema and the documentation are made. */
export interface FieldMeta {
  /** The field's description, in one sentence. */
  readonly doc: string;
  /** A valid value, used for an unresolved reference; left out: the default is used. */
  readonly example?: string;
  /** JSON Schema that cannot be made from yup's description of the field. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  /** The field is required. Set only where yup's description does not show it; may hold the hint of the error message. */
  readonly required?: string;
  /** A deprecated name of the field's key, which goes on working. Not of a field that is read apart. */
  readonly formerly?: string;
}

type More = Omit<FieldMeta, 'doc'>;

/** JSON Schema of a text with a reference, whose value is known only when the config is loaded. */
export const INTERPOLATED = { $ref: '#/$defs/interpolated' };

const TEXTS = { type: 'array', items: { type: 'string' } };

export const TEXT_OR_TEXTS = { anyOf: [{ type: 'string' }, TEXTS] };

/** The type of errors whose message follows the value's path: `must be text`, or `: message` with a subject of its own. */
export const FAULT = 'fault';

/** @param at the path of the fault within the tested value */
export function faultOf(context: TestContext, what: string, at: Path = []) {
  const path = pathText([...parsePath(context.path), ...at]);
  return context.createError({ type: FAULT, path, message: () => what });
}

/** A map with these keys. `checkSection` reports unknown keys, since it knows their places. */
export function section<Fields extends ObjectShape>(doc: string, fields: Fields) {
  return object(fields).strict().meta({ doc });
}

export function text(rule: Rule, doc: string, more: More = {}) {
  return textOf<string>(rule, doc, more);
}

function textOf<Text extends string>(rule: Rule, doc: string, more: More) {
  return string<Text>()
    .strict()
    .meta({ doc, ...more })
    .test(FAULT, (value: string | undefined, context) => {
      const wrong = typeof value === 'string' ? rule(value, context.options.context as Known) : undefined;
      return wrong === undefined || faultOf(context, wrong);
    });
}

export function integer(min: number, max: number, doc: string) {
  const rule = `\${path} must be a whole number from ${min} to ${max}`;
  const jsonSchema = { anyOf: [{ type: 'integer', minimum: min, maximum: max }, INTERPOLATED] };
  const whole = number().typeError(rule).strict().integer(rule);
  return whole.min(min, rule).max(max, rule).meta({ doc, jsonSchema });
}

export function choice<const Name extends string>(names: readonly Name[], doc: string) {
  const jsonSchema = { anyOf: [{ enum: names }, INTERPOLATED] };
  return textOf<Name>((value) => memberRule(value, names), doc, { jsonSchema });
}

/** Texts that pass a rule, each once. */
export function texts(rule: Rule, doc: string, more: More = {}) {
  return textsOf<string>(rule, doc, more);
}

function textsOf<Text extends string>(rule: Rule, doc: string, more: More) {
  return array(textOf<Text>(rule, doc, more).defined())
    .strict()
    .meta({ doc })
    .test('once', (value: readonly string[] | undefined, context) => {
      const again = value?.findIndex((name, index) => value.indexOf(name) < index) ?? -1;
      return again === -1 || faultOf(context, 'is a duplicate: this list has it already', [again]);
    });
}

/** A list of at least one of these names, each once. */
export function someOf<const Name extends string>(names: readonly Name[], doc: string) {
  const jsonSchema = { type: 'array', minItems: 1, uniqueItems: true, items: { enum: names } };
  return textsOf<Name>((name) => memberRule(name, names), doc, {})
    .min(1, '${path} must name at least one; leave it out otherwise')
    .meta({ jsonSchema });
}

/** A text that passes a rule, or a list of such texts, each once. */
export function textOrTexts(rule: Rule, doc: string, { required, ...more }: More = {}) {
  const one = text(rule, doc, more);
  const single = required === undefined ? one : one.defined(`\${path} is missing: ${required}`);
  const several = texts(rule, doc, more).min(1, '${path} must name at least one');
  const meta = { doc, jsonSchema: TEXT_OR_TEXTS, required };
  return lazy((value: unknown) => (Array.isArray(value) ? several : single)).meta(meta);
}

export function flagOrTexts(rule: Rule, wanted: string, doc: string) {
  const flag = boolean().strict().typeError(`\${path} must be ${wanted}`);
  const several = texts(rule, doc);
  const jsonSchema = { anyOf: [{ type: 'boolean' }, TEXTS, INTERPOLATED] };
  return lazy((value: unknown) => (Array.isArray(value) ? several : flag)).meta({ doc, jsonSchema });
}

/** A field that `check-channels.ts` or `read-notify.ts` checks, since channels, groups and `notify` depend on each other. */
export function readApart(doc: string, jsonSchema: object, required?: string) {
  return mixed().nullable().meta({ doc, jsonSchema, required });
}
