/** The keys of an object that may have any number of them, of which a message has room for a few. */
import { isJsonObject, type JsonObject, keysOf } from '../../text/json-object.ts';
import { fileEntries } from './value-text.ts';

export function firstKeys(object: JsonObject, most: number): readonly string[] {
  return keysOf(object).slice(0, most);
}

/** How many keys there are beside those; none where the item is shown as one text. */
export function keysPast(item: unknown, most: number): number {
  if (!isJsonObject(item) || fileEntries(item) !== undefined) return 0;
  return Math.max(0, keysOf(item).length - most);
}
