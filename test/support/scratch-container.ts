/** A scratch image, run as Docker runs a container that was given nothing: read-only, no capabilities, process 1. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { until } from './proof-wait.ts';
import { assignments, inRoot, type ScratchImage } from './scratch-image.ts';

export interface ContainerOptions {
  /** Folders of this machine, and where they are in the container; they alone can be written to. */
  readonly mounts: Readonly<Record<string, string>>;
  /** Beside the image's own. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface ScratchContainer {
  /** Process 1, by its number out here. */
  readonly pid: number;
  /** What it has printed so far. */
  log(): string;
  /** `docker exec`. */
  exec(...words: readonly string[]): { readonly status: number | null; readonly output: string };
  /** As `docker kill -s` sends it: to process 1. */
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code. */
  exited(): Promise<number | null>;
}

/** Resolves as soon as it runs. @throws {Error} it does not, with what it printed */
export async function startContainer(
  image: ScratchImage,
  options: ContainerOptions,
): Promise<ScratchContainer> {
  const [command, ...args] = asContained(image, options, [...image.entrypoint, ...image.cmd]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  let pid: number | undefined;
  await until('process 1 runs', () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${log}`);
    pid = firstProcess(child.pid ?? 0, image.entrypoint[0] ?? '');
    return pid !== undefined;
  });
  const processOne = pid ?? 0;
  return {
    pid: processOne,
    log: () => log,
    exec: (...words) => execute(image, options, words),
    kill: (signal) => void process.kill(processOne, signal),
    exited: () => exit,
  };
}

function execute(image: ScratchImage, options: ContainerOptions, words: readonly string[]) {
  const [command, ...args] = asContained(image, options, words);
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 30_000 });
  return { status, output: `${stdout}${stderr}` };
}

function asContained(
  { root, workdir, user, ...image }: ScratchImage,
  { mounts, variables }: ContainerOptions,
  words: readonly string[],
): readonly [string, ...string[]] {
  const [account, group] = user.split(':');
  const rights = ['--clear-groups', '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
  const all = assignments({ ...image.variables, ...variables });
  const asUser = ['setpriv', `--reuid=${account}`, `--regid=${group}`, ...rights];
  return inRoot(root, mounts, [...asUser, 'env', '-i', `--chdir=${workdir}`, ...all, ...words], true);
}

/** Once it has become the program: until then it is the shell that prepares its root. */
function firstProcess(unshare: number, program: string): number | undefined {
  const children = readFileSync(`/proc/${unshare}/task/${unshare}/children`, 'utf8');
  const pid = Number(children.trim().split(' ')[0]);
  return pid > 0 && commandOf(pid)[0] === program ? pid : undefined;
}

/** Its words. */
export function commandOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
}
