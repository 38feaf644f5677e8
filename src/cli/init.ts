/** `botbell init`: a config of one's own to begin with, and the commands that come next. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { CONFIG_FILES, SAMPLES, STARTER } from '../package-files.ts';
import { visible } from '../text/clean.ts';
import { CommandFailed, type CommandContext } from './context.ts';

/** @throws {Error} one of the files is there already, or the folder cannot be written */
export function run(context: CommandContext, folder: string): number {
  refuseWhatIsThere(folder);
  const beside = relative(resolve(folder), CONFIG_FILES).replaceAll(sep, '/') || '.';
  for (const entry of readdirSync(STARTER, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const path = join(folder, ownName(relative(STARTER, source)));
    const text = readFileSync(source, 'utf8').replaceAll('../botbell.', () => `${beside}/botbell.`);
    mkdirSync(dirname(path), { recursive: true });
    // Whatever has come meanwhile stays as it is.
    writeFileSync(path, text, { flag: 'wx' });
  }
  context.result(visible(nextSteps(folder)));
  return 0;
}

/** In the repository it stands without its dot, so that no tool there takes it for one. */
function ownName(name: string): string {
  return name === 'env.example' ? '.env.example' : name;
}

/** Of the top level: whoever has templates of their own there has no use for ours among them. */
function refuseWhatIsThere(folder: string): void {
  // A link that leads nowhere is there, too.
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
