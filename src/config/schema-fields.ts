/** The kinds of value that the config is made of, as yup schemas that carry their own documentation. */
import {
  array,
  mixed,
  number,
  object,
  string,
  ValidationError,
  type ObjectShape,
  type TestContext,
} from 'yup';
import { durationRule, memberRule, type Rule } from './field-rules.ts';

/** What a field's `.meta()` holds: the JSON Schema and the documentation are made from it. */
export interface FieldMeta {
  /** One sentence for the reader. */
  readonly doc: string;
  /** Stands in for a value that is not set where the config is checked; otherwise its default does. */
  readonly example?: string;
  /** JSON Schema of a value that yup's own description cannot tell. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  /** Whether true and false are values of it where yup's type does not tell: a text from interpolation may be one. */
  readonly isFlag?: boolean;
}

/** What a few fields say beside their sentence. */
type More = Omit<FieldMeta, 'doc'>;

/** A value that interpolation fills in when the config is loaded: nothing more can be said of it in JSON Schema. */
export const INTERPOLATED = { $ref: '#/$defs/interpolated' };

const TEXTS = { type: 'array', items: { type: 'string' } };

/** Its unknown keys are looked for apart, where their places are known; see `checkSection`. */
export function section<Fields extends ObjectShape>(doc: string, fields: Fields) {
  return object(fields).strict().meta({ doc });
}

export function text(doc: string, more: More = {}) {
  return string()
    .strict()
    .meta({ doc, ...more });
}

/** A text that a rule judges; a value of another type hears the rule, too. */
export function ruled(rule: Rule, doc: string, more: More = {}) {
  return text(doc, more)
    .typeError(`\${path} ${rule('') ?? 'must be text'}`)
    .test('rule', judgedBy(rule));
}

/** A duration as written. */
export function duration(byDefault: string, doc: string, rule: Rule = durationRule) {
  return ruled(rule, doc).default(byDefault);
}

/** A whole number from `min` to `max`. */
export function integer(byDefault: number, min: number, max: number, doc: string) {
  const rule = `\${path} must be a whole number from ${min} to ${max}`;
  const jsonSchema = { anyOf: [{ type: 'integer', minimum: min, maximum: max }, INTERPOLATED] };
  const whole = number().typeError(rule).strict().integer(rule);
  return whole.min(min, rule).max(max, rule).default(byDefault).meta({ doc, jsonSchema });
}

export function choice<const Name extends string>(
  names: readonly Name[],
  byDefault: NoInfer<Name>,
  doc: string,
) {
  return string<Name>().strict().oneOf(names).default(byDefault).meta({ doc });
}

/** Texts that pass a rule. */
export function texts(rule: Rule, doc: string, more: More = {}) {
  return array(string().strict().defined().test('item', judgedBy(rule)))
    .strict()
    .default([])
    .meta({ doc, ...more });
}

/** A list of some of these names; undefined: all of them, or none, as `doc` says. */
export function someOf<const Name extends string>(names: readonly Name[], doc: string) {
  const jsonSchema = { type: 'array', minItems: 1, uniqueItems: true, items: { enum: names } };
  return array(
    string<Name>()
      .strict()
      .defined()
      .test(
        'item',
        judgedBy((text) => memberRule(text, names)),
      ),
  )
    .strict()
    .min(1, '${path} must name at least one; leave it out otherwise')
    .default(undefined)
    .meta({ doc, jsonSchema });
}

/** One text or a list of them, every one passing a rule. */
export function textOrTexts(rule: Rule, doc: string, more: More = {}) {
  return mixed<string | string[]>()
    .strict()
    .meta({ doc, jsonSchema: { anyOf: [{ type: 'string' }, TEXTS] }, ...more })
    .test('textOrTexts', judgedBy(rule));
}

/** A test of one text or a list of them. */
export function filled(what: string) {
  return {
    name: 'filled',
    message: `\${path} must name at least one ${what}`,
    test: (value: unknown) => !Array.isArray(value) || value.length > 0,
  };
}

/** True, false, or texts that pass a rule. */
export function flagOrTexts(byDefault: boolean, rule: Rule, wanted: string, doc: string) {
  const jsonSchema = { anyOf: [{ type: 'boolean' }, TEXTS, INTERPOLATED] };
  return mixed<boolean | string[]>()
    .strict()
    .default(byDefault)
    .meta({ doc, isFlag: true, jsonSchema })
    .test('flagOrTexts', (value: unknown, context) => {
      if (value === undefined || typeof value === 'boolean') return true;
      if (!Array.isArray(value)) return context.createError({ message: `\${path} must be ${wanted}` });
      return judgedBy(rule)(value, context);
    });
}

/** A test whose messages the rule makes: of a text, or of each in a list. */
function judgedBy(rule: Rule) {
  return (value: unknown, { path }: TestContext): true | ValidationError => {
    const items = Array.isArray(value)
      ? value.map((item: unknown, index) => [item, `${path}[${index}]`] as const)
      : [[value, path] as const];
    const errors = items.flatMap(([item, at]) => errorOf(item, at, rule) ?? []);
    return errors.length === 0 || new ValidationError(errors, undefined, path);
  };
}

function errorOf(item: unknown, path: string, rule: Rule): ValidationError | undefined {
  if (item === undefined) return undefined;
  const wrong = typeof item === 'string' ? rule(item) : notText(item);
  return wrong === undefined ? undefined : new ValidationError(`${path || 'this'} ${wrong}`, item, path);
}

/** Why `value` is no text; never shows it. */
export function notText(value: unknown): string {
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? `must be text: put it in quotes` : 'must be text';
}
