/** Temporary folders of this run. Those left are deleted when the run ends or is interrupted. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

process.once('exit', () => folders.forEach(discard));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

/** For a ledger, which must be flushed to a disk as an operator's is. */
export function folderOnDisk(): string {
  return newFolder(tmpdir());
}

/** In /dev/shm, or on a disk if the system has none. */
export function folderInMemory(): string {
  return newFolder(existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
}

function newFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'botbell-bench-'));
  folders.add(folder);
  return folder;
}

export function discard(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}
