/** Reads UTF-8 text files and the names of folders from disk, away from the event loop. */
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FaultError, faultSaid, unreadable } from './fault.ts';

/** BOT names in another encoding, decoded to U+FFFD, would silently match nothing. */
const NOT_UTF8 = faultSaid(
  'it is not UTF-8: save it in that encoding',
  'UTF-8ではありません。UTF-8で保存してください',
);

const STREAM = faultSaid(
  'it is no regular file, but a pipe or a device',
  '通常のファイルではなく、パイプかデバイスです',
);

/** Far more than anybody writes; parsing a larger file would hold up the service for many seconds. */
const MOST_MIB = 16;

const TOO_LARGE = faultSaid(
  `it is larger than ${MOST_MIB} MiB, the most that is read: name another`,
  `読めるのは${MOST_MIB} MiBまでです。ほかのファイルを指定してください`,
);

/** Takes one read at a time, so that a hanging file system keeps only one of Node's four threads, which also look up host names. */
export class OneRead {
  readonly #patienceMs: number;
  #last: Promise<unknown> = Promise.resolve();
  /** A read did not end in time and is still under way. */
  isHanging = false;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** @throws {Error} as `read` does; at once while another read hangs; or when `read` does not end in time */
  take<T>(read: () => Promise<T>): Promise<T> {
    const taken = this.#last.then(() => this.#begin(read));
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  async #begin<T>(read: () => Promise<T>): Promise<T> {
    if (this.isHanging) throw this.#unanswered();
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.isHanging = true;
        reject(this.#unanswered());
      }, this.#patienceMs);
      const settle = () => {
        clearTimeout(timer);
        this.isHanging = false;
      };
      read().finally(settle).then(resolve, reject);
    });
  }

  #unanswered(): Error {
    const seconds = this.#patienceMs / 1000;
    return new FaultError(
      faultSaid(
        `its file system did not answer within ${seconds} s`,
        `ファイルシステムが${seconds}秒以内に応答しません`,
      ),
    );
  }
}

/** For all of this process's reads of config and templates. */
export const disk = new OneRead(5_000);

/** @throws {FaultError} it is not UTF-8 @throws {Error} as `readBytes` */
export async function readText(path: string): Promise<string> {
  const bytes = Buffer.from(await readBytes(path), 'latin1');
  if (!isUtf8(bytes)) throw new FaultError(NOT_UTF8);
  return bytes.toString('utf8');
}

/** @returns each byte as the character of its number @throws {Error} no regular file, or Node's own, e.g. when there is no such file */
export function readBytes(path: string): Promise<string> {
  return disk.take(async () => {
    // Without `O_NONBLOCK`, opening a pipe waits until somebody writes to it.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (found.isDirectory()) throw new FaultError(unreadable({ code: 'EISDIR' }));
      if (!found.isFile()) throw new FaultError(STREAM);
      if (found.size > MOST_MIB * 1024 * 1024) throw new FaultError(TOO_LARGE);
      return await file.readFile('latin1');
    } finally {
      await file.close();
    }
  });
}

/** The names of all in a folder. @throws {Error} `path` is no folder */
export function namesIn(path: string): Promise<string[]> {
  return disk.take(() => readdir(path));
}

/** Includes symbolic links to folders, as Kubernetes mounts a config map. @throws {Error} `path` is no folder */
export function foldersIn(path: string): Promise<string[]> {
  return disk.take(async () => {
    const folders: string[] = [];
    for (const name of await readdir(path)) {
      if (name.startsWith('.')) continue;
      const found = await stat(join(path, name)).catch(() => undefined);
      if (found?.isDirectory() === true) folders.push(name);
    }
    return folders;
  });
}
