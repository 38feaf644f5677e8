/** `botbell init`: a config of one's own to begin with, and the commands that come next. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { CONFIG_FILES, SAMPLES, STARTER } from '../package-files.ts';
import { visible } from '../text/clean.ts';
import { type CommandContext, CommandFailed, DEFAULT_CONFIGS, failedBecause, OWN_CONFIG } from './context.ts';

/** @throws {CommandFailed} one of the files is there already, or the folder cannot be written */
export function run(context: CommandContext, folder: string): number {
  const place = resolve(folder);
  const program = wordsToRun(place, context.script);
  writeStarter(folder, program);
  const config = isDefaultIn(place, context.variables) ? '' : ` --config ${OWN_CONFIG}`;
  context.result(visible(nextSteps(folder, program, config)));
  return 0;
}

/** How the same program is run from another folder; `script` is what Node was started with. Both are absolute. */
export function wordsToRun(folder: string, script: string | undefined): string {
  if (script === undefined || script.includes(`${sep}node_modules${sep}`)) return 'npx botbell';
  // Installed for everybody: a link among the programs.
  return basename(script) === 'botbell' ? 'botbell' : `node ${quoted(relative(folder, script))}`;
}

/** In the repository it stands without its dot, so that no tool there takes it for one. */
const OTHER_NAMES: Readonly<Record<string, string>> = { 'env.example': '.env.example' };

function writeStarter(folder: string, program: string): void {
  const names = readdirSync(STARTER, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(STARTER, name)).isFile()).toSorted();
  orFailed(folder, () => mkdirSync(folder, { recursive: true }));
  refuseWhatIsThere(folder, files);
  const beside = relative(resolve(folder), CONFIG_FILES).replaceAll(sep, '/') || '.';
  for (const name of files) {
    const text = readFileSync(join(STARTER, name), 'utf8')
      .replaceAll('../botbell.', () => `${beside}/botbell.`)
      .replaceAll('npx botbell', () => program);
    write(join(folder, OTHER_NAMES[name] ?? name), text);
  }
}

/** Of the top level: whoever has templates of their own there has no use for ours among them. */
function refuseWhatIsThere(folder: string, files: readonly string[]): void {
  const names = new Set(files.map((name) => OTHER_NAMES[name] ?? name.split(sep)[0] ?? name));
  // A link that leads nowhere is there, too.
  const there = [...names].filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }));
  if (there.length === 0) return;
  const where = folder === '.' ? 'this folder' : folder;
  throw new CommandFailed(
    `nothing was written: ${where} has ${there.join(', ')} already; go on with it, or name a folder that is not there yet: botbell init DIR`,
  );
}

function write(path: string, text: string): void {
  orFailed(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    // Whatever has come meanwhile stays as it is.
    writeFileSync(path, text, { flag: 'wx' });
  });
}

function orFailed(path: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    throw failedBecause(error, (reason) => `${path} cannot be written: ${reason}`);
  }
}

/** Whether what was written is the config that is used there when none is named. */
function isDefaultIn(folder: string, variables: CommandContext['variables']): boolean {
  const found = DEFAULT_CONFIGS.find((file) => existsSync(join(folder, file)));
  return !variables['BOTBELL_CONFIG'] && found === OWN_CONFIG;
}

/**
 * The very words that work in a shell.
 * @param folder as it was named
 * @param config further words of each command
 */
export function nextSteps(folder: string, program: string, config: string): string {
  const isHere = resolve(folder) === resolve();
  const sample = relative(resolve(folder), join(SAMPLES, 'error.json'));
  return `Written${isHere ? '' : ` to ${folder}`}: botbell.yaml, .env.example, templates/

${isHere ? 'Check' : `Go there and check`} the config:${isHere ? '' : `\n  cd ${quoted(folder)}`}
  ${program} check${config}
Run it. Until botbell.yaml names your Slack, it prints messages instead of sending them:
  ${program} serve${config}
In another terminal, in the same folder, post a callback as the job service does:
  ${program} send ${quoted(sample)}${config}
Once your secrets are in .env (copy .env.example), run it with them:
  (set -a; . ./.env; ${program} serve${config})`;
}

/** A path as one word of a POSIX shell, and no option. */
function quoted(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
