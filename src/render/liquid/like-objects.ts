/** Finds out whether a list is a table: objects that have much the same keys. */
import { isJsonObject, type JsonObject, keysOf } from '../../text/json-object.ts';
import { fileEntries } from './value-text.ts';

/** What more columns than this make is no table that anybody reads; Slack takes no more either. */
const MOST_COLUMNS = 20;

export interface LikeObjects {
  /** Keys, in the order in which they first come. */
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

/**
 * The first `most` items as rows, or undefined where they are not alike: fewer than two objects or two columns, an item
 * that is no object or a file, or an object that lacks half of the columns.
 */
export function likeObjects(items: readonly unknown[], most: number): LikeObjects | undefined {
  const rows: JsonObject[] = [];
  const columns = new Set<string>();
  for (const item of items.slice(0, most)) {
    if (!isJsonObject(item) || fileEntries(item) !== undefined) return undefined;
    rows.push(item);
    const keys = keysOf(item);
    if (keys.length > MOST_COLUMNS) return undefined;
    for (const key of keys) columns.add(key);
    if (columns.size > MOST_COLUMNS) return undefined;
  }
  if (items.length < 2 || columns.size < 2) return undefined;
  const isAlike = rows.every((row) => keysOf(row).length * 2 > columns.size);
  return isAlike ? { columns: [...columns], rows } : undefined;
}
