/**
 * Looks every second whether the config's files have changed. File systems over a network and folders that Kubernetes mounts do
 * not always say so, and editors replace files instead of writing them: to look costs less than to be told.
 */
import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../time/clock.ts';

const INTERVAL_MS = 1000;

/** `<set>/<format>/<name>.yaml` below the folder of templates. */
const DEEPEST = 3;

/** More are not looked at, whatever somebody has pointed the config at. */
const MOST_FILES = 2000;

interface Watched {
  readonly files: Iterable<string>;
  readonly folders: Iterable<string>;
}

interface ConfigWatchDependencies {
  readonly clock: Pick<Clock, 'startTimer'>;
  /** Asked for each time. */
  readonly watched: () => Watched;
  /** Something has changed, and then nothing for a second; also once after the start. Never rejects. */
  readonly onChange: () => Promise<unknown>;
}

/** @returns ends it */
export function watchConfig({ clock, watched, onChange }: ConfigWatchDependencies): () => void {
  let seen = '';
  let isSettled = false;
  let isStopped = false;
  let stopTimer = () => {};
  const look = async () => {
    const found = await looksOf(watched());
    const isQuiet = found === seen;
    seen = found;
    if (isQuiet && !isSettled && !isStopped) await onChange();
    isSettled = isQuiet;
    lookSoon();
  };
  const lookSoon = () => {
    if (!isStopped) stopTimer = clock.startTimer(INTERVAL_MS, () => void look());
  };
  lookSoon();
  return () => {
    isStopped = true;
    stopTimer();
  };
}

async function looksOf({ files, folders }: Watched): Promise<string> {
  const looks: string[] = [];
  for (const path of files) await lookAt(path, 0, looks);
  for (const path of folders) await lookAt(path, DEEPEST, looks);
  return looks.join('\n');
}

/** The same as long as nothing has been written; of what a symbolic link leads to. What cannot be looked at looks like that. */
async function lookAt(path: string, depth: number, looks: string[]): Promise<void> {
  if (looks.length >= MOST_FILES) return;
  const found: Stats | NodeJS.ErrnoException = await stat(path).catch((error: Error) => error);
  looks.push(
    found instanceof Error ? `${path} ${found.code}` : `${path} ${found.ino} ${found.size} ${found.ctimeMs}`,
  );
  if (depth === 0 || found instanceof Error || !found.isDirectory()) return;
  const names = await readdir(path).catch((): string[] => []);
  for (const name of names.filter((each) => !each.startsWith('.')).toSorted())
    await lookAt(join(path, name), depth - 1, looks);
}
