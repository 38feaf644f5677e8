/** Starts a process, measures its resources and ends it. Linux only, since it reads /proc. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { discard, folderInMemory } from './scratch.ts';

/** Linux counts CPU time in hundredths of a second (man 7 time, USER_HZ). */
const TICKS_PER_SECOND = 100;

/** A process that takes longer to end is killed; whether it ends by itself is tested elsewhere. */
const ENDS_WITHIN_MS = 30_000;

/**
 * A process whose log goes to a file in memory: flushing a ledger does not flush the log with it, and no reader takes CPU
 * from the process.
 */
export class Child {
  readonly #process: ChildProcess;
  readonly #startedAt = performance.now();
  readonly #folder = folderInMemory();
  readonly #log = join(this.#folder, 'stderr');

  constructor(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
    const log = openSync(this.#log, 'w');
    this.#process = spawn(process.execPath, args, {
      env: { ...process.env, NODE_ENV: 'production', ...variables },
      stdio: ['ignore', 'ignore', log],
    });
    closeSync(log);
    process.once('exit', this.#kill);
  }

  readonly #kill = () => void this.#process.kill('SIGKILL');

  /** Waits for the first JSON line on stderr that has all these keys, then stops reading. */
  announced<Line>(...keys: readonly string[]): Promise<Line> {
    return new Promise((resolve, reject) => {
      const settle = (action: () => void) => {
        watcher.close();
        this.#process.off('exit', onExit);
        action();
      };
      const look = () => {
        const line = lineWith(this.#logged(), keys);
        if (line !== undefined) settle(() => resolve(line as Line));
      };
      const onExit = () => settle(() => reject(new Error(`it ended: ${this.#logged()}`)));
      const watcher = watch(this.#log, look);
      this.#process.once('exit', onExit);
      look();
    });
  }

  #logged(): string {
    return readFileSync(this.#log, 'utf8');
  }

  sinceStartMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** User and system time so far, of all threads, in microseconds. */
  cpuMicros(): number {
    const fields = readFileSync(`/proc/${this.#process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
  }

  /** Resident memory in MB, now and at its highest. */
  memoryMb(): { readonly now: number; readonly peak: number } {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8');
    const of = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
    return { now: of('VmRSS'), peak: of('VmHWM') };
  }

  async end(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGTERM');
      const kill = setTimeout(this.#kill, ENDS_WITHIN_MS);
      await ended;
      clearTimeout(kill);
    }
    process.off('exit', this.#kill);
    discard(this.#folder);
  }
}

/** The last line may be half written. */
function lineWith(log: string, keys: readonly string[]): object | undefined {
  const lines = log.split('\n').slice(0, -1).map(parsed);
  return lines.find((line) => line !== undefined && keys.every((key) => key in line));
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
