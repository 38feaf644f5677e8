/** What is read from disk: text files, which all are UTF-8, and the names of folders. */
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Read as UTF-8 all the same, letters of another encoding would become marks that match nothing, and nobody would know. */
export class NotUtf8 extends Error {
  override readonly name = 'NotUtf8';

  constructor() {
    super('it is not UTF-8: save it in that encoding');
  }
}

/** @throws {NotUtf8} @throws {Error} Node's own, where there is no such file */
export function readText(path: string): string {
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new NotUtf8();
  return bytes.toString('utf8');
}

/** Also those that a symbolic link leads to, as Kubernetes mounts a config map. @throws when it is none */
export function foldersIn(path: string): string[] {
  const isFolder = (name: string) => statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory();
  return readdirSync(path).filter((name) => !name.startsWith('.') && isFolder(name) === true);
}
