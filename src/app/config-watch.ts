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

export interface ConfigWatchDependencies {
  readonly clock: Pick<Clock, 'startTimer'>;
  /** Asked for each time. */
  readonly watched: () => { readonly files: readonly string[]; readonly folders: readonly string[] };
  /** Something has changed, and then nothing for a second; also once after the start. Never rejects. */
  readonly onChange: () => Promise<unknown>;
}

export class ConfigWatch {
  readonly #dependencies: ConfigWatchDependencies;
  #seen = '';
  #isSettled = false;
  #isStopped = false;
  #stopTimer: () => void = () => undefined;

  constructor(dependencies: ConfigWatchDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#stopTimer = this.#dependencies.clock.startTimer(INTERVAL_MS, () => void this.#look());
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
  }

  async #look(): Promise<void> {
    const { watched, onChange } = this.#dependencies;
    const { files, folders } = watched();
    const looks: string[] = [];
    for (const path of files) await lookAt(path, 0, looks);
    for (const path of folders) await lookAt(path, DEEPEST, looks);
    const found = looks.join('\n');
    const isQuiet = found === this.#seen;
    this.#seen = found;
    if (isQuiet && !this.#isSettled && !this.#isStopped) await onChange();
    this.#isSettled = isQuiet;
    this.start();
  }
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
