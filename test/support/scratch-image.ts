/**
 * Does what a Dockerfile says without a container engine: each stage is a folder, each RUN a shell with that folder for a
 * root, this machine's /usr under it in place of the base image. Needs Linux, root, and a kernel that lets it mount.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { type CopyStep, stagesOf, type Step } from './dockerfile.ts';

/** What runs as the image says. */
export interface ScratchImage {
  /** The folder that is its root. */
  readonly root: string;
  readonly workdir: string;
  readonly user: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly healthcheck: readonly string[];
}

export interface BuildOptions {
  readonly dockerfile: string;
  /** The build context: of its files, those that Git knows or would, less what `<Dockerfile>.dockerignore` leaves out. */
  readonly context: string;
  /** For the stages; made here. */
  readonly folder: string;
}

/** In the order in which a shell looks for programs, as every Debian image has it. */
const PATH = `${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;

/** Of this machine's /etc, what a base image has, and Docker adds. */
const ETC = ['passwd', 'group', 'hosts', 'resolv.conf', 'nsswitch.conf', 'ssl', 'npmrc'];

/** No step may take longer. */
const RUN_MS = 120_000;

/** Whether scratch images can be built and run here. */
export function canMount(): boolean {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  const tried = isRoot && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;
  if (!tried)
    console.error('      left out: no root that can mount, so the Dockerfile is not run step by step');
  return tried;
}

/** @throws {Error} a step that fails, with what it printed */
export function buildImage({ dockerfile, context, folder }: BuildOptions): ScratchImage {
  const files = contextFiles(context, `${dockerfile}.dockerignore`);
  const roots = new Map<string, string>();
  const images = stagesOf(readFileSync(dockerfile, 'utf8')).map(({ name, steps }, number) => {
    const root = join(folder, `stage-${number}`);
    makeRoot(root);
    if (name !== undefined) roots.set(name, root);
    const place = { context, files, roots, npmCache: npmCache() };
    return steps.reduce((image, step) => after(image, step, place), emptyImage(root));
  });
  const last = images.at(-1);
  if (last === undefined) throw new Error(`${dockerfile} builds nothing`);
  return last;
}

/** What a base image has beside its programs; those are this machine's, as soon as something is run. */
function makeRoot(root: string): void {
  for (const path of ['etc', 'proc', 'root', 'run', 'tmp']) mkdirSync(join(root, path), { recursive: true });
  for (const path of ['/bin', '/lib', '/lib64', '/sbin'])
    if (existsSync(path)) symlinkSync(join('usr', path), join(root, path));
  const settings = ['/root/.npmrc', ...ETC.map((name) => join('/etc', name))];
  for (const path of settings)
    if (existsSync(path)) cpSync(path, join(root, path), { recursive: true, dereference: true });
}

interface Place {
  readonly context: string;
  readonly files: readonly string[];
  /** Of the stages by their names. */
  readonly roots: ReadonlyMap<string, string>;
  readonly npmCache: string;
}

function emptyImage(root: string): ScratchImage {
  const runs = { entrypoint: [], cmd: [], healthcheck: [] };
  return { root, workdir: '/', user: '0:0', variables: { PATH }, volumes: [], ...runs };
}

function after(image: ScratchImage, step: Step, place: Place): ScratchImage {
  switch (step.kind) {
    case 'copy':
      copy(image, step, place);
      return image;
    case 'run':
      run(image, step.command, place.npmCache);
      return image;
    case 'workdir':
      mkdirSync(join(image.root, step.value), { recursive: true });
      return { ...image, workdir: posix.resolve(image.workdir, step.value) };
    case 'env':
      return { ...image, variables: { ...image.variables, ...expanded(step.variables, image.variables) } };
    case 'volume':
      return { ...image, volumes: [...image.volumes, step.value] };
    case 'user':
      return { ...image, user: step.value };
    case 'entrypoint':
    case 'cmd':
    case 'healthcheck':
      return { ...image, [step.kind]: step.command };
  }
}

function expanded(variables: Readonly<Record<string, string>>, known: Readonly<Record<string, string>>) {
  const entries = Object.entries(variables).map(
    ([name, value]) =>
      [name, value.replaceAll(/\$(\w+)/g, (_, other: string) => known[other] ?? '')] as const,
  );
  return Object.fromEntries(entries);
}

/** As `git` names them, those that are there; each is let in by a line `!path` of the .dockerignore, which begins with `*`. */
function contextFiles(context: string, ignoreFile: string): string[] {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: context,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (listed.status !== 0) throw new Error(`git: ${listed.stderr}`);
  const lines = readFileSync(ignoreFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const [first, ...others] = lines;
  if (first !== '*' || !others.every((line) => line.startsWith('!')))
    throw new Error(`${ignoreFile}: lets in by default`);
  const letIn = others.map((line) => line.slice(1));
  return listed.stdout
    .split('\0')
    .filter((path) => letIn.some((each) => path === each || path.startsWith(`${each}/`)))
    .filter((path) => existsSync(join(context, path)));
}

function copy({ root, workdir }: ScratchImage, { from, sources, target }: CopyStep, place: Place): void {
  const to = join(root, posix.resolve(workdir, target));
  for (const source of sources) {
    if (from === undefined) copyFromContext(source, to, target.endsWith('/'), place);
    else copyFromStage(join(place.roots.get(from) ?? `no stage ${from}`, source), to);
  }
}

function copyFromContext(source: string, to: string, isFolder: boolean, { context, files }: Place): void {
  const inside = files.filter((path) => path.startsWith(`${source}/`));
  const pairs = files.includes(source)
    ? [[source, isFolder ? join(to, basename(source)) : to] as const]
    : inside.map((path) => [path, join(to, path.slice(source.length + 1))] as const);
  if (pairs.length === 0) throw new Error(`COPY ${source}: no such file in the build context`);
  for (const [path, target] of pairs) {
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(context, path), target);
  }
}

/** What is in the folder, by links, since nothing changes a stage that is done. */
function copyFromStage(source: string, to: string): void {
  if (!statSync(source).isDirectory()) throw new Error(`COPY --from: ${source} is no folder`);
  mkdirSync(to, { recursive: true });
  const { status, stderr } = spawnSync('cp', ['-al', `${source}/.`, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`COPY --from: ${stderr}`);
}

function run(image: ScratchImage, command: string, cache: string): void {
  const variables = {
    ...image.variables,
    HOME: '/root',
    npm_config_cache: '/npm-cache',
    npm_config_prefer_offline: 'true',
  };
  const words = ['env', '-i', `--chdir=${image.workdir}`, ...assignments(variables), 'sh', '-c', command];
  const [program, ...args] = inRoot(image.root, { [cache]: '/npm-cache' }, words);
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: RUN_MS });
  if (status !== 0) throw new Error(`RUN ${command}: ${stdout}${stderr}`);
}

function npmCache(): string {
  return spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim();
}

export function assignments(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}

/**
 * The command that runs `words` as process 1, as root, with another root, under which this machine's programs are.
 * @param mounts folders of this machine, and where they are under that root
 * @param isReadOnly everything but these mounts
 */
export function inRoot(
  root: string,
  mounts: Readonly<Record<string, string>>,
  words: readonly string[],
  isReadOnly = false,
): readonly [string, ...string[]] {
  for (const path of Object.values(mounts)) mkdirSync(join(root, path), { recursive: true });
  const bound = Object.entries({ '/usr': '/usr', '/dev': '/dev', ...folderOfNode(), ...mounts });
  const lines = [
    `mount --bind ${root} ${root}`,
    ...bound.map(([path, target]) => `mkdir -p ${root}${target}; mount --bind ${path} ${root}${target}`),
    `mount -t proc proc ${root}/proc`,
    ...(isReadOnly ? [`mount -o remount,bind,ro ${root}`] : []),
    `exec chroot ${root} "$@"`,
  ];
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  return ['unshare', ...namespaces, 'sh', '-euc', lines.join('\n'), 'sh', ...words];
}

/** Where it is not among the system's programs, as version managers have it. */
function folderOfNode(): Record<string, string> {
  const prefix = dirname(dirname(process.execPath));
  return prefix === '/usr' || prefix === '/usr/local' ? {} : { [prefix]: prefix };
}
