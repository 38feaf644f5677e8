/** A disk for one process, by a library that is preloaded: slow to flush, or one that shows what a power cut would leave. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from './installed.ts';

const SOURCE = join(import.meta.dirname, 'flushed-disk.c');

export interface FlushedDisk {
  /** For a process whose files in `folder` are on that disk. */
  variables(folder: string): Record<string, string>;
  /** The same, with all that `afterPowerCut` needs. */
  variablesForPowerCut(folder: string): Record<string, string>;
  remove(): void;
}

/** Linux's way to preload, and a compiler. */
export function mayMakeFlushedDisks(use: string): boolean {
  return process.platform === 'linux' && isInstalled('cc', use);
}

/** @throws {Error} as the compiler says it */
export function makeFlushedDisk(): FlushedDisk {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-flush-'));
  const library = join(folder, 'flushed-disk.so');
  const { status, stderr } = spawnSync('cc', [
    '-shared',
    '-fPIC',
    '-O1',
    '-o',
    library,
    SOURCE,
    '-ldl',
    '-lpthread',
  ]);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (status !== 0) {
    remove();
    throw new Error(`cc: ${String(stderr)}`);
  }
  const variables = (watched: string) => ({ LD_PRELOAD: library, FLUSHED_DISK_FOLDER: watched });
  return {
    variables,
    variablesForPowerCut: (watched) => ({ ...variables(watched), FLUSHED_DISK_IMAGES: 'yes' }),
    remove,
  };
}

/** From now on, each flush in that folder takes so long. */
export function slowDown(folder: string, flushMs: number): void {
  writeFileSync(join(folder, 'flush-ms'), String(flushMs));
}

/** The threads that have waited for a flush so far; `main`: the event loop. */
export function flushesIn(folder: string): readonly string[] {
  return readFileSync(join(folder, 'flushes'), 'utf8').trimEnd().split('\n');
}

/** Of each file, either what was flushed or all that was written. */
export type Survives = 'flushed' | 'written';

/** The ledger as the power cut leaves it. @returns its file, in a folder of its own */
export function afterPowerCut(
  file: string,
  into: string,
  survives: { file: Survives; log: Survives },
): string {
  mkdirSync(into);
  const left = join(into, 'botbell.db');
  copyOf(file, survives.file, left);
  copyOf(`${file}-wal`, survives.log, `${left}-wal`);
  return left;
}

function copyOf(path: string, survives: Survives, to: string): void {
  const from = survives === 'flushed' ? `${path}.flushed` : path;
  // What was never flushed is not there.
  if (existsSync(from)) copyFileSync(from, to);
  else writeFileSync(to, '');
}
