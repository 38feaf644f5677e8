/** A file system of a few kibibytes, where this machine lets one be made. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  remove(): void;
}

/** Needs Linux, root, and a container that may mount. */
export function mayMountDisks(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    mountSmallDisk(64).remove();
    return true;
  } catch {
    return false;
  }
}

/** @throws {Error} not permitted here */
export function mountSmallDisk(kibibytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-disk-'));
  const options = ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'botbell-test', folder];
  const { status, stderr } = spawnSync('mount', options, { encoding: 'utf8' });
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (status !== 0) {
    removeFolder();
    throw new Error(`no disk can be mounted: ${stderr}`);
  }
  return {
    folder,
    remove() {
      // A process that is just ending may still hold a file there.
      spawnSync('umount', ['--lazy', folder]);
      removeFolder();
    },
  };
}
