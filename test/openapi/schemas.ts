/** The JSON Schemas of the documents, compiled (JSON Schema 2020-12, which OpenAPI 3.1 has for its own). */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ApiDocument, Listener } from './document.ts';

/** Of a document as a whole, which is no schema, but has them. */
const TOP_LEVEL = ['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components'];

const ajvs = new Map<Listener, Ajv2020>();

/**
 * What of the value is not as the schema has it, each with its JSON pointer; empty: nothing.
 * @param pointer to a schema of the document
 */
export function faultsIn(document: ApiDocument, pointer: string, value: unknown): readonly string[] {
  const validate = ajvOf(document).getSchema(`${document.name}${pointer}`);
  if (validate === undefined) throw new Error(`${document.name}${pointer} is no schema`);
  return validate(value) === true ? [] : (validate.errors ?? []).map(inWords);
}

function ajvOf({ name, root }: ApiDocument): Ajv2020 {
  const known = ajvs.get(name);
  if (known !== undefined) return known;
  // What is listed as required stands in the schema that is referred to.
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  ajv.addVocabulary(TOP_LEVEL);
  ajv.addSchema(root as object, name, false, false);
  ajvs.set(name, ajv);
  return ajv;
}

function inWords({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  return `${instancePath || 'it'} ${message} (${JSON.stringify(params)})`;
}
