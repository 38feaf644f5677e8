/** A preloaded library that shows what a power cut would leave of the files of one process. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from './installed.ts';

const SOURCE = join(import.meta.dirname, 'flushed-disk.c');

export type FlushedDisk = ReturnType<typeof makeFlushedDisk>;

/** Whether there is what such a disk needs: Linux's way to preload, and a compiler. */
export function mayMakeFlushedDisks(use: string): boolean {
  return process.platform === 'linux' && isInstalled('cc', use);
}

export function makeFlushedDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-flush-'));
  const library = join(folder, 'flushed-disk.so');
  const flags = ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl', '-lpthread'];
  const { status, stderr } = spawnSync('cc', flags);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (status !== 0) {
    remove();
    throw new Error(`cc: ${String(stderr)}`);
  }
  /** The environment of a process whose files in `watched` are on that disk. */
  const variables = (watched: string) => ({ LD_PRELOAD: library, FLUSHED_DISK_FOLDER: watched });
  return { variables, remove };
}

type Survives = 'flushed' | 'written';

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
  // A file that was never flushed does not exist.
  if (existsSync(from)) copyFileSync(from, to);
  else writeFileSync(to, '');
}
