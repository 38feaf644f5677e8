/** The kinds of value that the config is made of, as yup schemas that carry their own documentation. */
import { array, mixed, number, string, ValidationError, type TestContext } from 'yup';
import type { Rule } from './field-rules.ts';
import { parseDuration, parseSize } from '../time/display.ts';

/** What a field's `.meta()` holds: the JSON Schema and the documentation are made from it. */
export interface FieldMeta {
  /** One sentence for the reader. */
  readonly doc: string;
  /** A regular expression for editors; what interpolation puts in later is let pass. */
  readonly pattern?: string;
  /** Stands in for a value that is not set where the config is checked; otherwise its default does. */
  readonly example?: string;
  /** JSON Schema of a value that yup's own description cannot tell. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  /** Whether true and false are values of it where yup's type does not tell: a text from interpolation may be one. */
  readonly isFlag?: boolean;
}

const DURATION_PATTERN = '^(?=\\d)(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?(\\d+ms)?$';
const SIZE_PATTERN = '^\\d+([bB]|[kKmMgG][bB])?$';

/** setTimeout takes no more than 2^31 - 1 ms; an answer or an attempt that takes an hour is a mistake long before. */
const MAX_TIMER_MS = 3_600_000;

/** V8's strings end near 512 MiB, and a body is held more than once. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

const DURATION_RULE = 'must be a duration above zero, such as 500ms, 8s, 2m, 24h or 30d';
/** The log alone takes a quarter of it before it is moved. */
const MIN_STORE_BYTES = 16 * 1024 * 1024;

const SIZE_RULE = 'must be a size such as 512kb or 8mb, up to 256mb';
const STORE_SIZE_RULE = 'must be a size such as 500mb or 2gb, at least 16mb';

/** What a few fields say beside their sentence. */
type More = Omit<FieldMeta, 'doc'>;

export function text(doc: string, more: More = {}) {
  return string()
    .strict()
    .meta({ doc, ...more });
}

/** A duration as written; for those that become a timer, `timer` holds it to an hour. */
export function duration(byDefault: string, doc: string) {
  return text(doc, { pattern: DURATION_PATTERN })
    .typeError(`\${path} ${DURATION_RULE}`)
    .test(ruleTest('duration', DURATION_RULE, (value) => (parseDuration(value) ?? 0) > 0))
    .default(byDefault);
}

export function timer(byDefault: string, doc: string) {
  return duration(byDefault, doc).test(
    ruleTest('timer', 'must be 1h or less', (value) => (parseDuration(value) ?? 0) <= MAX_TIMER_MS),
  );
}

/** From `shortest` to `longest`, both as written. */
export function interval(byDefault: string, [shortest, longest]: readonly [string, string], doc: string) {
  const bounds = [parseDuration(shortest) ?? 0, parseDuration(longest) ?? 0] as const;
  const isWithin = (ms: number) => bounds[0] <= ms && ms <= bounds[1];
  const rule = `must be from ${shortest} to ${longest}`;
  return duration(byDefault, doc).test(
    ruleTest(
      'interval',
      rule,
      (value) => (parseDuration(value) ?? 0) <= 0 || isWithin(parseDuration(value) ?? 0),
    ),
  );
}

export function size(byDefault: string, doc: string) {
  return sized(byDefault, SIZE_RULE, (bytes) => bytes > 0 && bytes <= MAX_BODY_BYTES, doc);
}

/** Of a store. */
export function storeSize(byDefault: string, doc: string) {
  return sized(byDefault, STORE_SIZE_RULE, (bytes) => bytes >= MIN_STORE_BYTES, doc);
}

function sized(byDefault: string, rule: string, holds: (bytes: number) => boolean, doc: string) {
  return text(doc, { pattern: SIZE_PATTERN })
    .typeError(`\${path} ${rule}`)
    .test(ruleTest('size', rule, (value) => holds(parseSize(value) ?? 0)))
    .default(byDefault);
}

function ruleTest(name: string, rule: string, holds: (value: string) => boolean) {
  return {
    name,
    message: `\${path} ${rule}`,
    skipAbsent: true,
    test: (value: string | undefined) => value === undefined || holds(value),
  };
}

/** A whole number from `min` to `max`. */
export function integer(byDefault: number, min: number, max: number, doc: string) {
  const rule = `\${path} must be a whole number from ${min} to ${max}`;
  return number()
    .typeError(rule)
    .strict()
    .integer(rule)
    .min(min, rule)
    .max(max, rule)
    .default(byDefault)
    .meta({ doc });
}

/** True, false, or texts that pass a rule. */
export function flagOrTexts(byDefault: boolean, rule: Rule, wanted: string, doc: string) {
  const items = { type: 'array', items: { type: 'string' } };
  const jsonSchema = { anyOf: [{ type: 'boolean' }, items, { $ref: '#/$defs/interpolated' }] };
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

export function choice<const Name extends string>(
  names: readonly Name[],
  byDefault: NoInfer<Name>,
  doc: string,
) {
  return string<Name>().strict().oneOf(names).default(byDefault).meta({ doc });
}

/** A text that a rule judges; a value of another type hears the rule, too. */
export function ruled(rule: Rule, doc: string, more: More = {}) {
  return text(doc, more)
    .typeError(`\${path} ${rule('') ?? 'must be text'}`)
    .test('rule', judgedBy(rule));
}

/** Texts that pass a rule. */
export function texts(rule: Rule, doc: string, more: More = {}) {
  return array(string().strict().defined().test('item', judgedBy(rule)))
    .strict()
    .default([])
    .meta({ doc, ...more });
}

/** One text or a list of them, every one passing a rule. */
export function textOrTexts(rule: Rule, doc: string, more: More = {}) {
  const items = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
  return mixed<string | string[]>()
    .strict()
    .meta({ doc, jsonSchema: items, ...more })
    .test('textOrTexts', judgedBy(rule));
}

/** A test whose messages the rule makes: of a text, or of each in a list. */
function judgedBy(rule: Rule) {
  return (value: unknown, { path }: TestContext): true | ValidationError => {
    const errors = Array.isArray(value)
      ? value.flatMap((item, index) => errorOf(item, `${path}[${index}]`, rule))
      : [errorOf(value, path, rule)].flat();
    return errors.length === 0 || new ValidationError(errors, undefined, path);
  };
}

function errorOf(item: unknown, path: string, rule: Rule): ValidationError | [] {
  if (item === undefined) return [];
  const wrong = typeof item === 'string' ? rule(item) : notText(item);
  return wrong === undefined ? [] : new ValidationError(`${path || 'this'} ${wrong}`, item, path);
}

/** Why `value` is no text; never shows it. */
export function notText(value: unknown): string {
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? `must be text: put it in quotes` : 'must be text';
}
