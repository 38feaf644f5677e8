/** Brings the ledger of a running process back to a size, so that a warmed-up process can be measured on a small one. */
import { DatabaseSync } from '@photostructure/sqlite';

/** The process beside it writes now and then. */
const BUSY_TIMEOUT_MS = 5000;

/** @param file a SQLite ledger in which nothing is on its way; everything but the newest callbacks goes */
export function keepNewest(file: string, callbacks: number): void {
  const database = new DatabaseSync(file);
  try {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma foreign_keys = on`);
    database.prepare('delete from callbacks where id <= (select max(id) from callbacks) - ?').run(callbacks);
    database.exec('vacuum');
  } finally {
    database.close();
  }
}
