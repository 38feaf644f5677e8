/** JSON objects: their type, type guards, and their keys, cached for large ones. */
import { SpeltNumber } from './spelt-number.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A list or an object. A `SpeltNumber` is none. */
export function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof SpeltNumber);
}

/** Neither a scalar, nor null, nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}

/** The value whose JSON the text is; undefined: it is none. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The JSON object that the text is; `{}` if it is anything else. */
export function objectIn(text: string): JsonObject {
  const value = valueIn(text);
  return isJsonObject(value) ? value : {};
}

/** From about so many members on, V8 sorts an object's keys at each `Object.keys`, which would dominate the running time. */
const MANY = 1000;

const knownKeys = new WeakMap<JsonObject, readonly string[]>();

/** `Object.keys`, cached for large objects: parsed JSON is never changed. */
export function keysOf(object: JsonObject): readonly string[] {
  const known = knownKeys.get(object);
  if (known !== undefined) return known;
  const keys = Object.keys(object);
  if (keys.length >= MANY) knownKeys.set(object, keys);
  return keys;
}
