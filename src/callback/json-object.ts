/** A JSON object among JSON values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Neither a scalar, nor null, nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
