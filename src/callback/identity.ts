/** What makes two callbacks the same: everything in them but how long the BOT has been running. */
import { hash } from 'node:crypto';
import type { Callback } from './callback.ts';
import { type JsonObject, keysOf } from '../text/json-object.ts';
import { bulkOf } from './large-callback.ts';

/** RFC 8259, section 7, and surrogates, which JSON.stringify escapes where they are alone. */
const NEEDS_ESCAPES = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * SHA-256 of the callback's canonical JSON, 64 hexadecimal digits: keys in code unit order at every depth, a null field
 * like an absent one (an array's nulls count), without `elapsed_time`, which grows while the service retries.
 */
export function identityOf(callback: Callback): string {
  return bulkOf(callback)?.identity ?? hash('sha256', canonicalObject(callback, 'elapsed_time'), 'hex');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value as JsonObject);
  return typeof value === 'string' ? quoted(value) : String(value);
}

/** Lone surrogates become escapes, so that texts which differ in them stay different as UTF-8. */
function quoted(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function canonicalObject(fields: JsonObject, omitted?: string): string {
  let members = '';
  for (const key of keysOf(fields).toSorted()) {
    const value = fields[key];
    if (value === null || value === undefined || key === omitted) continue;
    members += `${members === '' ? '' : ','}${quoted(key)}:${canonicalJson(value)}`;
  }
  return `{${members}}`;
}
