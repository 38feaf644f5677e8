/** Whether SQLite only wants somebody to wait. */

/** SQLite primary result codes (sqlite.org/rescode.html): SQLITE_BUSY and SQLITE_LOCKED. */
const BUSY_CODES = new Set([5, 6]);

/** SQLite's own words for them: the driver gives no code with what a statement that returns rows throws. */
const BUSY = /^database (?:table )?is locked/;

export function isSqliteBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return BUSY_CODES.has(primaryCodeOf(error)) || BUSY.test(error.message) || isSqliteBusy(error.cause);
}

function primaryCodeOf(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : 0;
}
