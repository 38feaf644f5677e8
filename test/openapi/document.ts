/** The OpenAPI documents of both listeners, read for what tests ask of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export type Listener = 'receiver' | 'admin';

export const LISTENERS: readonly Listener[] = ['receiver', 'admin'];

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** One thing in a document, and where it stands there once references are followed. */
export interface Place<Value = unknown> {
  /** JSON pointer, percent-encoded where a URI needs that: `#/paths/~1healthz/get`. */
  readonly pointer: string;
  readonly value: Value;
}

export interface Operation {
  /** In capitals. */
  readonly method: string;
  /** As the document has it, e.g. `/api/callbacks/{id}`. */
  readonly path: string;
  readonly place: Place;
  /** By status, `default` among them. */
  readonly responses: ReadonlyMap<string, Place>;
}

export interface ApiDocument {
  readonly name: Listener;
  readonly root: unknown;
  readonly operations: readonly Operation[];
  /** In lower case, of all answers. */
  readonly headerNames: ReadonlySet<string>;
}

export function textOf(listener: Listener): string {
  return readFileSync(join(import.meta.dirname, `../../docs/openapi/${listener}.yaml`), 'utf8');
}

export function readDocument(name: Listener): ApiDocument {
  const root: unknown = parse(textOf(name));
  const operations = operationsIn(root);
  const responses = operations.flatMap((operation) => [...operation.responses.values()]);
  const headers = responses.flatMap((response) => [...membersAt(root, response, 'headers').keys()]);
  return { name, root, operations, headerNames: new Set(headers.map((header) => header.toLowerCase())) };
}

function operationsIn(root: unknown): Operation[] {
  return [...membersAt(root, { pointer: '#', value: root }, 'paths')].flatMap(([path, item]) =>
    METHODS.flatMap((name) => {
      const place = memberAt(root, item, name);
      if (place === undefined) return [];
      return [{ method: name.toUpperCase(), path, place, responses: membersAt(root, place, 'responses') }];
    }),
  );
}

/** What stands under this key of an object, references followed; undefined: nothing. */
export function memberAt(root: unknown, { pointer, value }: Place, key: string): Place | undefined {
  const member = fieldOf(value, key);
  if (member === undefined) return undefined;
  const token = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
  return followed(root, { pointer: `${pointer}/${token}`, value: member });
}

/** Of the object under this key; empty where there is none. */
export function membersAt(root: unknown, place: Place, key: string): ReadonlyMap<string, Place> {
  const parent = memberAt(root, place, key);
  const names = Object.keys(parent?.value ?? {});
  const members = names.map((name) => [name, parent && memberAt(root, parent, name)] as const);
  return new Map(members.filter((each): each is [string, Place] => each[1] !== undefined));
}

/** @throws {Error} a reference to nothing, or to another document */
function followed(root: unknown, place: Place): Place {
  const reference = fieldOf(place.value, '$ref');
  if (typeof reference !== 'string') return place;
  const target = placeAt(root, reference);
  if (target === undefined) throw new Error(`${place.pointer} refers to ${reference}, which is not there`);
  return target;
}

export function placeAt(root: unknown, pointer: string): Place | undefined {
  const [first, ...tokens] = pointer.split('/');
  if (first !== '#') return undefined;
  let place: Place | undefined = { pointer: '#', value: root };
  for (const token of tokens) {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    place = place && memberAt(root, place, key);
  }
  return place;
}

export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
