/** A measured process: started, asked for its resources, ended. Linux only, since it reads /proc. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second (man 7 time, USER_HZ). */
const TICKS_PER_SECOND = 100;

export class Child {
  readonly #process: ChildProcess;
  readonly #startedAt = performance.now();
  #stderr = '';

  constructor(args: readonly string[], variables: Readonly<Record<string, string>>) {
    this.#process = spawn(process.execPath, args, {
      env: { ...process.env, NODE_ENV: 'production', ...variables },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process.stderr?.on('data', (chunk: Buffer) => {
      // The log goes on and on; only its beginning says where the process listens.
      if (this.#stderr.length < 100_000) this.#stderr += chunk.toString();
    });
  }

  /** The first JSON line that has all of these keys. */
  async announced<Line>(...keys: readonly string[]): Promise<Line> {
    for (;;) {
      for (const text of this.#stderr.split('\n').slice(0, -1)) {
        const line = parsed(text);
        if (line !== undefined && keys.every((key) => key in line)) return line as Line;
      }
      if (this.#process.exitCode !== null) throw new Error(`it ended: ${this.#stderr}`);
      await Promise.race([once(this.#process.stderr ?? this.#process, 'data'), once(this.#process, 'exit')]);
    }
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
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
