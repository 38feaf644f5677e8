/** A keeper whose disk hangs while there is a file `<store>.hangs` (it then makes `<store>.hung`); `<store>.dies` makes it fail once. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { LogMover } from '../../src/ledger/sqlite/log-mover.ts';

const { path } = workerData as { readonly path: string };
const never = new Int32Array(new SharedArrayBuffer(4));
const look = Object.getOwnPropertyDescriptor(LogMover.prototype, 'look')?.value as LogMover['look'];

LogMover.prototype.look = function hang(): 'rest' | undefined {
  if (existsSync(`${path}.hangs`)) writeFileSync(`${path}.hung`, '');
  while (existsSync(`${path}.hangs`)) Atomics.wait(never, 0, 0, 5);
  if (existsSync(`${path}.dies`)) {
    rmSync(`${path}.dies`);
    throw new Error('as if it had no memory left');
  }
  return look.call(this);
};

await import('../../src/ledger/sqlite/keeper-thread.ts');
