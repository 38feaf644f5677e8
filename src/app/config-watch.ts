/**
 * Looks every second whether the config's files have changed. File systems over a network and folders that Kubernetes
 * mounts do not always say so, editors replace files instead of writing them, and a folder that is watched wakes the process
 * for whatever else is written there: to look costs less than to be told.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../time/clock.ts';

const INTERVAL_MS = 1000;

/** `<set>/<format>/<name>.yaml` below the folder of templates. */
const DEEPEST = 3;

/** More are not looked at, whatever somebody has pointed the config at. */
const MOST_FILES = 2000;

export interface WatchedFiles {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

export interface ConfigWatchDependencies {
  readonly clock: Pick<Clock, 'startTimer'>;
  /** Asked for each time. */
  readonly watched: () => WatchedFiles;
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
    const found = await appearanceOf(this.#dependencies.watched());
    const isQuiet = found === this.#seen;
    this.#seen = found;
    if (isQuiet && !this.#isSettled && !this.#isStopped) await this.#dependencies.onChange();
    this.#isSettled = isQuiet;
    this.start();
  }
}

/** The same as long as nothing has been written. Never rejects: what cannot be looked at looks like that. */
export async function appearanceOf({ files, folders }: WatchedFiles): Promise<string> {
  const looks: string[] = [];
  for (const path of files) looks.push(await lookOf(path));
  for (const path of folders) await lookInto(path, DEEPEST, looks);
  return looks.join('\n');
}

async function lookInto(path: string, depth: number, looks: string[]): Promise<void> {
  if (looks.length >= MOST_FILES) return;
  looks.push(await lookOf(path));
  if (depth === 0) return;
  const names = await readdir(path).catch((): string[] => []);
  for (const name of names.filter((each) => !each.startsWith('.')).toSorted())
    await lookInto(join(path, name), depth - 1, looks);
}

/** Of what a symbolic link leads to. */
async function lookOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return `${path} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    return `${path} ${(error as NodeJS.ErrnoException).code}`;
  }
}
