/** What to do after `init`: the very words that work in a shell, however Botbell was run. */
import { basename, relative, sep } from 'node:path';

/** Where npx keeps what it runs without an installation: it finds that again from any folder. */
const NPX_CACHE = `${sep}_npx${sep}`;

const MODULES = `${sep}node_modules${sep}`;

/**
 * How the same program is run from another folder.
 * @param folder absolute
 * @param script what Node was started with, absolute
 */
export function wordsToRun(folder: string, script: string | undefined): string {
  if (script === undefined || script.includes(NPX_CACHE)) return 'npx botbell';
  const [project = '', inModules] = script.split(MODULES);
  // npx looks in the folders above, too.
  if (inModules !== undefined && `${folder}${sep}`.startsWith(`${project}${sep}`)) return 'npx botbell';
  // Installed for everybody: a link among the programs.
  if (inModules === undefined && basename(script) === 'botbell') return 'botbell';
  return `node ${quoted(relative(folder, script))}`;
}

export interface Situation {
  /** As it was named; undefined: the one that the shell is in. */
  readonly folder: string | undefined;
  readonly program: string;
  /** Further words of each command that reads the config. */
  readonly configOption: string;
  /** A callback to post, relative to the folder. */
  readonly sample: string;
}

export function nextSteps({ folder, program, configOption, sample }: Situation): string {
  const enter = folder === undefined ? [] : [`  cd ${quoted(folder)}`];
  return [
    `Written${folder === undefined ? '' : ` to ${folder}`}: botbell.yaml, .env.example, templates/`,
    '',
    `${folder === undefined ? 'Check' : 'Go there and check'} the config:`,
    ...enter,
    `  ${program} check${configOption}`,
    'Run it. Until botbell.yaml names your Slack, it prints messages instead of sending them:',
    `  ${program} serve${configOption}`,
    'In another terminal, in the same folder, post a callback as the job service does:',
    `  ${program} send ${quoted(sample)} --url http://127.0.0.1:8080/callbacks`,
    'Once your secrets are in .env (copy .env.example), run it with them:',
    `  (set -a; . ./.env; ${program} serve${configOption})`,
  ].join('\n');
}

/** A path as one word of a POSIX shell, and no option. */
function quoted(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
