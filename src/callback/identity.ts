/** What makes two callbacks the same: everything in them but how long the BOT has been running. */
import { createHash } from 'node:crypto';
import type { Callback } from './callback.ts';

/**
 * SHA-256 of the callback's canonical JSON, 64 hexadecimal digits: keys in code unit order at every depth, a null field
 * like an absent one (an array's nulls count), without `elapsed_time`, which grows while the service retries.
 */
export function identityOf(callback: Callback): string {
  const { elapsed_time: _, ...rest } = callback;
  return createHash('sha256').update(canonicalJson(rest)).digest('hex');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value as Record<string, unknown>);
  // JSON.stringify spells lone surrogates as escapes, so that texts which differ in them stay different as UTF-8.
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function canonicalObject(fields: Record<string, unknown>): string {
  let members = '';
  for (const key of Object.keys(fields).sort()) {
    const value = fields[key];
    if (value === null || value === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(value)}`;
  }
  return `{${members}}`;
}
