/** Makes files that a person names as output, and that must not exist yet. */
import { mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FaultError, faultSaid, faultsOf } from './fault.ts';

// prettier-ignore
const fault = faultsOf({
  there: ['{file} is there already, and stays as it is: name another file', '{file} はすでにあり、そのままです。別のファイル名を指定してください'],
  unwritable: ['{file} cannot be written: {why}', '{file} に書き込めません：{why}'],
});

const WHY: Readonly<Record<string, readonly [en: string, ja?: string]>> = {
  ENOENT: ['its folder is not there', 'フォルダーがありません'],
  ENOTDIR: ['a part of its path is no folder', 'パスの途中にフォルダーでないものがあります'],
  EEXIST: ['a part of its path is no folder', 'パスの途中にフォルダーでないものがあります'],
  EISDIR: ['it is a folder', 'フォルダーです'],
  EACCES: ['the account that runs this may not write there', '書き込む権限がありません'],
  EPERM: ['the account that runs this may not write there', '書き込む権限がありません'],
  EROFS: ['its disk is read-only', 'ディスクが読み取り専用です'],
  ENOSPC: ['its disk is full', 'ディスクに空きがありません'],
};

/** A broken symbolic link counts as a file. @returns the new file's descriptor. @throws {FaultError} the file exists, or cannot be written */
export function openNew(file: string, mode?: number): number {
  try {
    return openSync(file, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(file, error);
    throw new FaultError(fault('there', { file }), { cause: error });
  }
}

export function unwritable(file: string, error: unknown): FaultError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const why = faultSaid(...(WHY[code] ?? [message]));
  return new FaultError(fault('unwritable', { file, why }), { cause: error });
}

/** Makes its parents, too. Node's own `recursive` never ends where none can be made, as in `/proc`. @throws {Error} it cannot be made */
export function makeFolder(path: string, mode?: number): void {
  const isThere = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  const parent = dirname(resolve(path));
  if (parent !== resolve(path)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isThere()) throw error;
  }
}
