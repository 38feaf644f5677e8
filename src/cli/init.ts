/** `botbell init`: writes a first config and prints the next commands. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { CONFIG_FILES, SAMPLES, STARTER } from '../package-files.ts';
import { visible } from '../text/clean.ts';
import { CommandFailed, type CommandContext } from './context.ts';

/** @throws {Error} if one of the files exists already, or the folder cannot be written */
export function run(context: CommandContext, folder: string): number {
  refuseWhatIsThere(folder);
  const beside = relative(resolve(folder), CONFIG_FILES).replaceAll(sep, '/') || '.';
  for (const entry of readdirSync(STARTER, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const path = join(folder, ownName(relative(STARTER, source)));
    const text = readFileSync(source, 'utf8').replaceAll('../botbell.', () => `${beside}/botbell.`);
    mkdirSync(dirname(path), { recursive: true });
    // Never overwrite a file created since the check.
    writeFileSync(path, text, { flag: 'wx' });
  }
  context.result(visible(nextSteps(folder)));
  return 0;
}

/** In the repository the file has no leading dot, so that no tool there loads it. */
function ownName(name: string): string {
  return name === 'env.example' ? '.env.example' : name;
}

/** Checks top-level names only: an existing `templates` folder counts even if none of its files would be overwritten. */
function refuseWhatIsThere(folder: string): void {
  // Broken symbolic links count as existing.
  const isThere = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  const there = readdirSync(STARTER).map(ownName).filter(isThere);
  if (there.length === 0) return;
  const where = folder === '.' ? 'this folder' : folder;
  throw new CommandFailed(
    `nothing was written: ${where} has ${there.join(', ')} already; go on with it, or name a folder that is not there yet: botbell init DIR`,
  );
}

function nextSteps(folder: string): string {
  const isHere = resolve(folder) === resolve();
  const sample = relative(resolve(folder), join(SAMPLES, 'error.json'));
  return `Written${isHere ? '' : ` to ${folder}`}: botbell.yaml, .env.example, templates/

${isHere ? 'Check the config:' : `Go there and check the config:\n  cd ${folder}`}
  npx botbell check
Run it. Until botbell.yaml names your Slack, it prints messages instead of sending them:
  npx botbell serve
In another terminal, in the same folder, post a callback as the job service does:
  npx botbell send ${sample}
Once your secrets are in .env (copy .env.example), run it with them:
  (set -a; . ./.env; npx botbell serve)`;
}
