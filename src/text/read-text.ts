/** Reads UTF-8 text files and the names of folders from disk, away from the event loop. */
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FaultError, faultSaid, unreadable } from './fault.ts';

/** BOT names in another encoding, decoded to U+FFFD, would match nothing without a word. */
const NOT_UTF8 = faultSaid(
  'it is not UTF-8: save it in that encoding',
  'UTF-8ではありません。UTF-8で保存してください',
);

const STREAM = faultSaid(
  'it is no regular file, but a pipe or a device',
  '通常のファイルではなく、パイプかデバイスです',
);

let last: Promise<unknown> = Promise.resolve();
let underWay = 0;

/** Whether a read has not ended. Node does not exit before it has, even if its file system hangs. */
export function isReading(): boolean {
  return underWay > 0;
}

/** One read at a time: a file system that hangs keeps one of Node's four threads, which also look up host names. */
function inTurn<T>(read: () => Promise<T>): Promise<T> {
  underWay += 1;
  const ended = last.then(read).finally(() => (underWay -= 1));
  last = ended.catch(() => undefined);
  return ended;
}

/** @throws {FaultError} it is not UTF-8 @throws {Error} as `readBytes` */
export async function readText(path: string): Promise<string> {
  const bytes = Buffer.from(await readBytes(path), 'latin1');
  if (!isUtf8(bytes)) throw new FaultError(NOT_UTF8);
  return bytes.toString('utf8');
}

/** @returns each byte as the character of its number @throws {Error} no regular file, or Node's own, e.g. when there is no such file */
export function readBytes(path: string): Promise<string> {
  return inTurn(async () => {
    // Without it, a pipe that nobody writes would be waited for.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (found.isDirectory()) throw new FaultError(unreadable({ code: 'EISDIR' }));
      if (!found.isFile()) throw new FaultError(STREAM);
      return await file.readFile('latin1');
    } finally {
      await file.close();
    }
  });
}

/** The names of all in a folder. @throws {Error} `path` is no folder */
export function namesIn(path: string): Promise<string[]> {
  return inTurn(() => readdir(path));
}

/** Includes symbolic links to folders, as Kubernetes mounts a config map. @throws {Error} `path` is no folder */
export function foldersIn(path: string): Promise<string[]> {
  return inTurn(async () => {
    const folders: string[] = [];
    for (const name of await readdir(path)) {
      if (name.startsWith('.')) continue;
      const found = await stat(join(path, name)).catch(() => undefined);
      if (found?.isDirectory() === true) folders.push(name);
    }
    return folders;
  });
}
