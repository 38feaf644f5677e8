/** Checks answers against docs/openapi.yaml. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { AdminAnswer } from './admin-world.ts';

export const OPENAPI_TEXT = readFileSync(join(import.meta.dirname, '../../docs/openapi.yaml'), 'utf8');

type Item = Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> } | undefined>>;

export const OPENAPI = parse(OPENAPI_TEXT) as {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Item>>;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(OPENAPI, 'document', false, false);

const escaped = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** The document's place for this answer; an error that the operation does not name has the schema of a problem. */
function placeOf(method: string, path: string, status: number): string {
  const template = Object.keys(OPENAPI.paths)
    .filter((each) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .toSorted((a, b) => a.split('{').length - b.split('{').length)[0];
  const verb = method.toLowerCase();
  const isNamed = OPENAPI.paths[template ?? '']?.[verb]?.responses[status] !== undefined;
  if (isNamed) return `/paths/${escaped(template ?? '')}/${verb}/responses/${status}`;
  return status < 400 ? `/no ${status} of ${method} ${path}` : '/components/responses/Problem';
}

/** @param place a JSON pointer to a schema of the document. @returns how `value` departs from it; undefined if it does not */
export function faultBy(place: string, value: unknown): string | undefined {
  const matches = ajv.getSchema(`document#${place}`);
  return matches?.(value) === true ? undefined : `${place}: ${JSON.stringify(matches?.errors)}`;
}

export function examplesIn(node: unknown, place = ''): readonly (readonly [place: string, value: unknown])[] {
  if (typeof node !== 'object' || node === null) return [];
  const { schema, example, examples } = node as Readonly<Record<string, unknown>>;
  const isSchema = schema === undefined;
  const listed = Object.values(examples ?? {}).map((each: unknown) =>
    isSchema ? each : (each as { readonly value: unknown }).value,
  );
  const own = [...(example === undefined ? [] : [example]), ...listed];
  const at = isSchema ? place : `${place}/schema`;
  const inner = Object.entries(node).filter(([key]) => !/^(?:examples?|const|enum)$/.test(key));
  return [
    ...own.map((value) => [at, value] as const),
    ...inner.flatMap(([key, value]) => examplesIn(value, `${place}/${escaped(key)}`)),
  ];
}

/** @param what a method and a path, `GET /healthz`. @returns how the answer departs from the document; undefined if it does not */
export function faultIn(what: string, { status, headers, body, json }: AdminAnswer): string | undefined {
  const [method = '', path = ''] = what.split(/[ ?]/);
  const [type = ''] = String(headers['content-type']).split(';');
  const place = placeOf(method, path, status);
  const content = ajv.getSchema(`document#${place}/content/${escaped(type)}/schema`);
  if (content === undefined) return `the document has no ${type} at ${place}`;
  if (type === 'application/problem+json' && json['status'] !== status) return 'it says another status';
  if (content(type.endsWith('json') ? json : body) === true) return undefined;
  return JSON.stringify(content.errors);
}
