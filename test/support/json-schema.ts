/** What a published JSON Schema says of some data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';

const SCHEMAS = join(import.meta.dirname, '../fixtures/schemas');

/** @param name of a file in test/fixtures/schemas @returns each fault, as `/pointer what is wrong`; none where it is valid */
export function faultsBy(name: string, data: unknown): string[] {
  // It names its dialect in a way of its own.
  const {
    id: _,
    $schema: _dialect,
    ...schema
  } = JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8')) as Record<string, unknown>;
  // It says of texts that they are durations and the like, which is for readers.
  const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true });
  // Names of an older dialect, which mean nothing here.
  ajv.removeKeyword('id');
  const validate = ajv.compile(schema);
  if (validate(data)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
