/** The built program as a process of its own, as an operator runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const MAIN = join(import.meta.dirname, '../../dist/main.js');

export type ServeProcess = Awaited<ReturnType<typeof serve>>;

export interface ServeOptions {
  /** A command that runs the program, which gets it and its arguments as its last arguments, e.g. `['nice', '-n', '5']`. */
  readonly wrapper?: readonly string[];
  /** The program; default: the one that was built here. */
  readonly main?: string;
  readonly cwd?: string;
  readonly nodeArguments?: readonly string[];
}

/** Starts `serve` and waits until it listens. */
export async function serve(
  config: string,
  variables: Record<string, string> = {},
  { wrapper = [], main = MAIN, cwd, nodeArguments = [] }: ServeOptions = {},
) {
  const words = [...wrapper, process.execPath, ...nodeArguments, main, 'serve', '--config', config];
  const [command = '', ...args] = words;
  const child = spawn(command, args, {
    // The test must not use a proxy that the machine is configured for.
    env: { ...process.env, no_proxy: '*', ...variables },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  const listening = await untilListening(child, () => output.stderr);
  return {
    pid: child.pid ?? 0,
    /** `http://127.0.0.1:<port><path>` as the log names it. */
    callbacksUrl: listening.callbacks,
    adminUrl: listening.admin,
    log: () => output.stderr,
    /** From now on, nobody reads what the process prints and logs. */
    stopReading: () => [child.stdout, child.stderr].forEach((stream) => stream.destroy()),
    stdout: () => output.stdout,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    exited: () => exit,
  };
}

async function untilListening(child: ChildProcess, log: () => string) {
  for (;;) {
    const [line] = /^.*listening.*$/m.exec(log()) ?? [];
    const [values] = /\{.*\}/.exec(line ?? '') ?? [];
    if (values !== undefined)
      return JSON.parse(values) as { readonly callbacks: string; readonly admin: string };
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${log()}`);
    await Promise.race([once(child.stderr ?? child, 'data'), once(child, 'exit')]);
  }
}
