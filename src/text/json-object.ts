/** A JSON object among JSON values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A list or an object. */
export function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Neither a scalar, nor null, nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}

/** From so many members on, V8 sorts an object's keys whenever it is asked for them, which takes longer than all else. */
const MANY = 1000;

const knownKeys = new WeakMap<JsonObject, readonly string[]>();

/** `Object.keys`, once for an object of many: what was parsed changes no more. */
export function keysOf(object: JsonObject): readonly string[] {
  const known = knownKeys.get(object);
  if (known !== undefined) return known;
  const keys = Object.keys(object);
  if (keys.length >= MANY) knownKeys.set(object, keys);
  return keys;
}
