/** What templates can know of what they see, before there is a value: members, items, the values that can come. */
import { ALL_STATUSES } from '../../callback/callback.ts';
import type { FileView, OutputView } from './outputs.ts';

/** A plain value; `values`: no others can come. */
interface ScalarShape {
  readonly kind: 'scalar';
  readonly values?: readonly (string | number)[];
}

interface ListShape {
  readonly kind: 'list';
  readonly item: Shape;
}

/** An object with these members and no others. */
export interface ObjectShape {
  readonly kind: 'object';
  readonly members: Readonly<Record<string, Shape>>;
}

export type Shape = { readonly kind: 'any' } | ScalarShape | ListShape | ObjectShape;

export const ANY: Shape = { kind: 'any' };
export const SCALAR: Shape = { kind: 'scalar' };

export function oneOf(...values: readonly (string | number)[]): Shape {
  return { kind: 'scalar', values };
}

export function listOf(item: Shape): Shape {
  return { kind: 'list', item };
}

export function objectOf(members: Readonly<Record<string, Shape>>): ObjectShape {
  return { kind: 'object', members };
}

/** Members that Liquid gives to whatever has a length. */
const OF_LISTS: readonly string[] = ['size', 'first', 'last'];

/** Undefined where there is no such member, ever. */
export function memberOf(shape: Shape, name: string | number): Shape | undefined {
  if (shape.kind === 'any') return ANY;
  if (shape.kind === 'scalar') return name === 'size' ? SCALAR : undefined;
  if (shape.kind === 'object') return Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
  if (name === 'size') return SCALAR;
  const isItem = name === 'first' || name === 'last' || /^-?\d+$/.test(String(name));
  return isItem ? shape.item : undefined;
}

export function memberNames(shape: Shape): readonly string[] {
  if (shape.kind === 'object') return Object.keys(shape.members);
  return shape.kind === 'list' ? OF_LISTS : [];
}

export function itemOf(shape: Shape): Shape {
  return shape.kind === 'list' ? shape.item : ANY;
}

const FILE = objectOf({
  name: SCALAR,
  size: SCALAR,
  timestamp: SCALAR,
  ref: SCALAR,
  url: SCALAR,
} satisfies Record<keyof FileView, Shape>);

const OUTPUT = objectOf({
  name: SCALAR,
  kind: oneOf('scalar', 'list', 'files', 'other'),
  value: SCALAR,
  items: listOf(ANY),
  files: listOf(FILE),
} satisfies Record<keyof OutputView, Shape>);

const FIELDS = {
  code: SCALAR,
  job_id: SCALAR,
  bot_id: SCALAR,
  bot_name: SCALAR,
  status: oneOf(0, 1, 2),
  start_time: SCALAR,
  elapsed_time: SCALAR,
  output: ANY,
  message: SCALAR,
  callback: ANY,
  status_name: oneOf(...ALL_STATUSES),
};

/** What `display.links` see; `output` and `callback` are the sender's, with whatever members. */
export const LINK_SHAPE: ObjectShape = objectOf(FIELDS);

/** What the messages about a callback see. */
export const CALLBACK_SHAPE: ObjectShape = objectOf({
  ...FIELDS,
  started_at: SCALAR,
  elapsed: SCALAR,
  outputs: listOf(OUTPUT),
  job_url: SCALAR,
  attempt: SCALAR,
  delayed_by: SCALAR,
});
