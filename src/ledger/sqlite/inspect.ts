/** Whether a ledger's file may be read and written, or made. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** @throws {Error} what of the file, its log or the log's index may not be read, and what to do */
export function checkReadable(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path))) {
    try {
      accessSync(each, constants.R_OK);
    } catch (error) {
      const advice = 'run this as the user of the service, to whom the files of a ledger belong';
      throw new Error(`${each} may not be read: ${advice}`, { cause: error });
    }
  }
}

/** @throws {Error} why not */
export function checkWritable(file: string): void {
  // Beside the file SQLite keeps its log.
  checkFolder(dirname(file));
  if (!existsSync(file)) return;
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`);
  checkAccess(file, constants.R_OK | constants.W_OK, 'the file cannot be read and written');
}

/** A folder that is missing is made at the start, in the next one above that is there. */
function checkFolder(folder: string): void {
  if (!existsSync(folder)) {
    checkFolder(dirname(folder));
    return;
  }
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  checkAccess(folder, constants.W_OK | constants.X_OK, 'nothing can be written in the folder');
}

function checkAccess(path: string, mode: number, trouble: string): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new Error(`${trouble}: ${path} (${code})`, { cause: error });
  }
}
