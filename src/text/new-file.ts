/** Files that a person names to have something written to, which must not be there yet. */
import { openSync } from 'node:fs';
import { FaultError, faultsOf } from './fault.ts';

// prettier-ignore
const fault = faultsOf({
  there: ['{file} is there already, and stays as it is: name another file', '{file} はすでにあり、そのままです。別のファイル名を指定してください'],
  unwritable: ['{file} cannot be written: {why}', '{file} に書き込めません：{why}'],
});

/** A link that leads nowhere counts as a file. @returns its descriptor. @throws {FaultError} it is there, or cannot be written */
export function openNew(file: string, mode?: number): number {
  try {
    return openSync(file, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(file, error);
    throw new FaultError(fault('there', { file }), { cause: error });
  }
}

export function unwritable(file: string, error: unknown): FaultError {
  return new FaultError(fault('unwritable', { file, why: (error as Error).message }), { cause: error });
}
