/** Folders of this run. What is left of them goes when the run ends, also when somebody interrupts it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

process.once('exit', () => folders.forEach(discard));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

/** On a disk, for what must be flushed as an operator's ledger is. */
export function folderOnDisk(): string {
  return newFolder(tmpdir());
}

/** In memory where the system has such a folder. */
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
