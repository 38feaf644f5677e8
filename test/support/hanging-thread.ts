/** SQLite's thread on a disk that hangs, before each commit, for as long as there is a file `<store>.hangs`: then it makes `<store>.hung`. */
import { existsSync, writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { SqliteConnection } from '../../src/ledger/sqlite/connection.ts';

const { path } = workerData as { readonly path: string };
const never = new Int32Array(new SharedArrayBuffer(4));
const execute = Object.getOwnPropertyDescriptor(SqliteConnection.prototype, 'exec')?.value as (
  text: string,
) => void;

function hang(): void {
  if (existsSync(`${path}.hangs`)) writeFileSync(`${path}.hung`, '');
  while (existsSync(`${path}.hangs`)) Atomics.wait(never, 0, 0, 5);
}

SqliteConnection.prototype.exec = function exec(text: string): void {
  if (text === 'commit') hang();
  execute.call(this, text);
};

await import('../../src/ledger/sqlite/sqlite-thread.ts');
