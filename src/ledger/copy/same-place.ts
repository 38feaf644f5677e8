/** Whether two URLs of stores lead to the same one. */
import { statSync } from 'node:fs';
import { SQLITE, sqlitePathOf } from '../inspect-store.ts';

const POSTGRES_PORT = '5432';

/** As far as can be told without asking: a server may have several names. */
export function isSamePlace(one: string, other: string): boolean {
  const [first, second] = [placeOf(one), placeOf(other)];
  return first !== undefined && first === second;
}

/** Undefined: there is no file yet. */
function placeOf(url: string): string | undefined {
  if (!url.startsWith(SQLITE)) {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}:${port || POSTGRES_PORT}${pathname}`;
  }
  // Links lead to the same file under another name.
  const file = statSync(sqlitePathOf(url), { throwIfNoEntry: false });
  return file && `${file.dev} ${file.ino}`;
}
