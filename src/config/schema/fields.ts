/** Builds the yup schemas of the config's fields, each with its documentation. */
import { array, lazy, mixed, object, ValidationError } from 'yup';
import type { AnyObject, ISchema, MixedSchema, ObjectShape, Schema, TestContext } from 'yup';
import type { NotifyList } from '../destination.ts';
import { Fault } from '../../text/fault.ts';
import { isContainer, isJsonObject } from '../../text/json.ts';
import { type Form, type Known, memberOf, scalarSchema } from './form.ts';
import { parsePath, type Path, pathText } from '../path.ts';
import { fault } from '../words.ts';

/** A field's `.meta()`, from which the JSON Schema and the documentation are made. */
export interface FieldMeta {
  /** The field's description, in one sentence. */
  readonly doc: string;
  /** A valid text, used for an unresolved reference; left out: the default is used. */
  readonly example?: string;
  /** The default, as a config writes it. */
  readonly byDefault?: string;
  /** JSON Schema that cannot be made from yup's description of the field. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  /** The field is required. Set only where yup's description does not show it. */
  readonly required?: boolean;
  /** A deprecated name of the field's key, which still works. Not of a field that is `readApart`. */
  readonly formerly?: string;
}

type More = Omit<FieldMeta, 'doc' | 'jsonSchema'>;

/** The type of errors that are reported rather than that there is no value. */
export const FAULT = 'fault';

/** @param at the path of the fault within the tested value */
export function faultOf(context: TestContext, what: Fault, at: Path = []) {
  const path = pathText([...parsePath(context.path), ...at]);
  return context.createError({ type: FAULT, path, message: () => what });
}

/** Checks for yup that no item is there twice. @param isAgain whether an equal item stands before it @param at where in the item its error is */
export function eachOnce<Item>(
  items: readonly Item[] | undefined,
  isAgain: (item: Item, index: number) => boolean,
  context: TestContext,
  at: Path = [],
): true | ValidationError {
  const again = [...(items ?? []).entries()].filter(([index, item]) => isAgain(item, index));
  const errors = again.map(([index]) => faultOf(context, fault('duplicate'), [index, ...at]));
  return errors.length === 0 || new ValidationError(errors);
}

/** A map with these keys. `checkSection` reports unknown keys, since it knows their places. */
export function section<Fields extends ObjectShape>(doc: string, fields: Fields) {
  return object(fields).strict().meta({ doc });
}

/** Whether the config has a map there. No value that a text has been read as counts as a map. */
export function isMap(value: unknown): boolean {
  return isJsonObject(value) && !(value instanceof Fault) && typeof value['has'] !== 'function';
}

type Field<Value> = MixedSchema<Value | undefined>;
type WithDefault = string | (More & { readonly byDefault: string });

/**
 * A text of this form, read as its value.
 * @param more as a text: the default
 */
export function text<Value extends {}>(
  of: Form<Value>,
  doc: string,
  more: WithDefault,
): MixedSchema<Value, AnyObject, Value, 'd'>;
export function text<Value extends {}>(of: Form<Value>, doc: string, more?: More): Field<Value>;
export function text<Value extends {}>(of: Form<Value>, doc: string, more: More | string = {}): unknown {
  const meta = {
    doc,
    jsonSchema: scalarSchema(of),
    ...(typeof more === 'string' ? { byDefault: more } : more),
  };
  const field = mixed<Value>()
    .meta(meta)
    .transform((value: unknown, _written, _schema, { path = '', context }) => {
      if (typeof value !== 'string') return isContainer(value) ? fault('type.text') : value;
      return of.read(value, context as Known, parsePath(path));
    })
    .test(FAULT, (value: unknown, context) => !(value instanceof Fault) || faultOf(context, value));
  // `checkSection` puts the default in as a text, which is then read like any other.
  return meta.byDefault === undefined ? field : field.default(meta.byDefault as unknown as Value);
}

interface MoreOfTexts extends More {
  /** What is said of an empty list; left out: it may be empty. */
  readonly least?: Fault;
}

/** A list of texts of this form, each once. */
export function texts<Value extends {}>(of: Form<Value>, doc: string, { least, ...more }: MoreOfTexts = {}) {
  const items = scalarSchema(of);
  const jsonSchema = { type: 'array', ...(least && { minItems: 1 }), uniqueItems: true, items };
  return array(text(of, doc, more).defined())
    .strict()
    .meta({ doc, jsonSchema })
    .min(least ? 1 : 0, () => least)
    .test('once', (value: readonly unknown[] | undefined, context) => {
      const isAgain = (each: unknown, index: number) =>
        !(each instanceof Fault) && value !== undefined && value.indexOf(each) < index;
      return eachOnce(value, isAgain, context);
    });
}

/** @param example of the whole list */
export function listOf<Item>(item: ISchema<Item>, doc: string, example: string) {
  return array(item)
    .strict()
    .typeError(() => fault('list', { example }))
    .meta({ doc });
}

/** What is reported if there is no value. */
export const missing = (example: string) => () => fault('missing, such as', { example });

export function someOf<const Name extends string>(names: readonly Name[], doc: string) {
  const list = fault('list', { example: `[${names[0]}]` });
  return texts(memberOf(names), doc, { least: fault('at least one or none') }).typeError(() => list);
}

/** A text of this form, or a list of such texts, each once. @param example for the error if the value is missing; '': it is optional */
export function textOrTexts(of: Form, doc: string, more: Omit<More, 'required'> = {}, example = '') {
  const one = text(of, doc, more);
  const several = texts(of, doc, { ...more, least: fault('at least one') });
  if (example === '') return either(one, several, { doc });
  return either(one.defined(missing(example)), several, { doc, required: true });
}

export function either<One extends Schema, Several extends Schema>(
  one: One,
  several: Several,
  meta: FieldMeta,
) {
  const items = one.meta()?.['jsonSchema'] as object;
  const jsonSchema = { anyOf: [items, several.meta()?.['jsonSchema'] ?? { type: 'array', items }] };
  return lazy((value: unknown) => (Array.isArray(value) ? several : one)).meta({ ...meta, jsonSchema });
}

/** A field that `read/channels.ts` or `read/notify.ts` checks, since channels, groups and `notify` depend on each other. */
export function readApart(doc: string, jsonSchema: object, required?: boolean) {
  return mixed().nullable().meta({ doc, jsonSchema, required });
}

/** Whom to tell: names of groups, and addresses on channels. */
export function notifyList(doc: string) {
  const list = optionalNotifyList(doc).defined(missing('[{ slack: "#ops" }]'));
  // A reference that is not set here is read as nobody.
  return list.meta({ required: true, example: '' });
}

/** As `notifyList`, but it may be left out. */
export function optionalNotifyList(doc: string) {
  return mixed<NotifyList>()
    .transform((value: unknown, _written, _schema, { path = '', context }) =>
      (context as Known).readNotify?.(value, parsePath(path)),
    )
    .meta({ doc, jsonSchema: { $ref: '#/$defs/notify' } });
}
