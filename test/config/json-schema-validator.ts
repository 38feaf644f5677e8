/** Whether a value is as a JSON Schema has it; a keyword that no vocabulary has is refused. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../src/config/json-schema.ts';

const ajv = new Ajv2020({ strict: true, strictRequired: false });
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

export function isValid(value: unknown, schema: JsonSchema): boolean {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  return validate(value);
}

export function definition(reference: string, root: JsonSchema): JsonSchema {
  const definitions = root['$defs'] as Record<string, JsonSchema>;
  const found = definitions[reference.replace('#/$defs/', '')];
  if (!found) throw new Error(`no definition ${reference}`);
  return found;
}
