/** Reads UTF-8 text files and the names of folders from disk. */
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Thrown instead of decoding to U+FFFD, since BOT names in another encoding would then silently match nothing. */
export class NotUtf8 extends Error {
  override readonly name = 'NotUtf8';

  constructor() {
    super('it is not UTF-8: save it in that encoding');
  }
}

/** @throws {NotUtf8} @throws {Error} Node's own, e.g. when there is no such file */
export function readText(path: string): string {
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new NotUtf8();
  return bytes.toString('utf8');
}

/** Includes symbolic links to folders, as Kubernetes mounts a config map. @throws {Error} `path` is no folder */
export function foldersIn(path: string): string[] {
  const isFolder = (name: string) => statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory();
  return readdirSync(path).filter((name) => !name.startsWith('.') && isFolder(name) === true);
}
