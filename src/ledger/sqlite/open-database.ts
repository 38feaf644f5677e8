/** Opens a SQLite file for whatever is done with it. */
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/**
 * What is larger than SQLite's cache (a sort, what a statement would undo) it keeps in memory: by default it goes into files in
 * a temporary folder, and where nothing can be written but the ledger's own folder, the statement fails
 * (sqlite.org/tempfiles.html).
 */
export function openDatabase(
  ...parameters: ConstructorParameters<typeof DatabaseSync>
): DatabaseSyncInstance {
  const database = new DatabaseSync(...parameters);
  database.exec('pragma temp_store = memory');
  return database;
}
