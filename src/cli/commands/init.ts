/** `botbell init`: writes a first config and prints the next commands. */
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { exampleOf } from '../../channels/about.ts';
import { channelTypes, printsOnly } from '../../channels/registry.ts';
import { CONFIG_FILES, PROGRAM, samplesIn, STARTER } from '../../package-files.ts';
import { visible, shellWord } from '../../text/clean.ts';
import { makeFolder, unwritable } from '../../text/new-file.ts';
import { nearestOrAll } from '../../text/nearest.ts';
import type { Language } from '../../time/display.ts';
import { CommandFailed, type CommandContext, WrongUsage } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import type { Words } from '../words.ts';

/**
 * @throws {CommandFailed} one of the files exists already
 * @throws {WrongUsage} there is no such type of channel
 * @throws {FaultError} the folder cannot be written
 */
export function run(context: CommandContext, folder: string, options: OptionsOf<'init'>) {
  const { speaks, say } = context;
  const { lang = speaks.language, channels } = options;
  speaks.language = lang;
  for (const type of channels ?? []) refuseUnknown(type, context);
  const starter = join(STARTER, lang);
  const botbell = programIn(isOfService(folder) ? '.' : folder, context.variables['PATH'] ?? '');
  const beside = relative(resolve(folder), CONFIG_FILES).replaceAll(sep, '/') || '.';
  try {
    refuseWhatIsThere(starter, folder, say);
    writeOrLeaveNothing(starter, folder, (text) => {
      const own = text
        .replace(LISTS, (_line, indent: string, list: string) => linesOf(list, lang, indent))
        .replaceAll('../../botbell.', () => `${beside}/botbell.`)
        .replace('; botbell serve', () => `; ${botbell} serve`);
      return channels === undefined ? own : withChannels(own, channels);
    });
  } catch (error) {
    throw error instanceof CommandFailed ? error : unwritable(folder, error);
  }
  const steps = {
    botbell,
    folder: resolve(folder) === resolve() ? undefined : folder,
    sample: relative(resolve(folder), join(samplesIn(lang), 'error.json')),
    isRemote: channels !== undefined,
  };
  context.result(visible(nextSteps(say, steps)));
  return 0;
}

/** What is half written would be gone on with, and is in the way of another try. @throws {Error} the folder cannot be written */
function writeOrLeaveNothing(starter: string, folder: string, asItsOwn: (text: string) => string): void {
  try {
    write(starter, folder, asItsOwn);
  } catch (error) {
    const isOfAnother = (error as NodeJS.ErrnoException).code === 'EEXIST';
    for (const name of isOfAnother ? [] : namesIn(starter))
      rmSync(join(folder, name), { recursive: true, force: true });
    throw error;
  }
}

function write(starter: string, folder: string, asItsOwn: (text: string) => string): void {
  for (const entry of readdirSync(starter, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const path = join(folder, ownName(relative(starter, source)));
    makeFolder(dirname(path));
    // Never overwrite a file created since the check.
    writeFileSync(path, asItsOwn(readFileSync(source, 'utf8')), { flag: 'wx' });
  }
}

function refuseUnknown(type: string, { say, speaks }: CommandContext): void {
  const known = [...channelTypes.keys()].filter((each) => !printsOnly(each));
  if (!known.includes(type))
    throw new WrongUsage(say('usage.no type', { type, hint: nearestOrAll(type, known).in(speaks.language) }));
}

/** Placeholders in a starter file for the lists of all chats' channels, addresses and variables. */
const LISTS = /^( *)# \{(channels|addresses|variables)\}$/gm;

/** The lines of a list, as comments. */
function linesOf(list: string, lang: Language, indent: string): string {
  const lines = [...channelTypes.values()].flatMap(({ type, about }) => {
    if (about === undefined) return [];
    const { channel, address, variables, words } = exampleOf(type, about, lang);
    if (list === 'channels') return [`# ${channel} # ${words.from}`];
    const what = about[lang].address;
    if (list === 'addresses')
      return [`# - ${address}${what === undefined ? '' : ` # ${what.replaceAll('`', '')}`}`];
    return variables.map((name) => `#${name}=''`);
  });
  return lines.map((line) => indent + line).join('\n');
}

/** Uncomments the lines of these channels, their addresses and their variables in the starter, and removes those of the outbox. */
function withChannels(text: string, channels: readonly string[]): string {
  const named = new RegExp(`^( +)# ((?:- )?(?:${channels.join('|')}):)`, 'gm');
  const outbox = /(?:^ +#.*\n)+^ +slack: \{ type: outbox.*\n/m;
  const slack = channels.includes('slack') ? /(?!)/ : /^ +- slack: .*\n(?: {6,}#.*\n)?/m;
  const variables = new RegExp(`^#(${channels.flatMap(variablesOf).join('|')})=`, 'gm');
  return text.replace(outbox, '').replace(slack, '').replace(named, '$1$2').replace(variables, '$1=');
}

function variablesOf(type: string): readonly string[] {
  const about = channelTypes.get(type)?.about;
  if (about !== undefined) return exampleOf(type, about, 'en').variables;
  return [type === 'email' ? 'SMTP_URL' : 'SLACK_BOT_TOKEN'];
}

function namesIn(starter: string): readonly string[] {
  return readdirSync(starter).map(ownName);
}

/** In the repository, `.env.example` has no leading dot, so that no tool there loads it. */
function ownName(name: string): string {
  return name === 'env.example' ? '.env.example' : name;
}

/** Checks top-level names only: an existing `templates` folder counts even if none of its files would be overwritten. */
function refuseWhatIsThere(starter: string, folder: string, say: Words): void {
  // Broken symbolic links count as existing.
  const isThere = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  const there = namesIn(starter).filter(isThere);
  if (there.length === 0) return;
  const where = folder === '.' ? say('init.this folder') : folder;
  throw new CommandFailed(say('init.there', { where, names: there.join(', ') }));
}

/** How a shell in `folder` runs this program. */
function programIn(folder: string, path: string): string {
  // npx and npm scripts add these folders to the PATH of what they run; the shell does not have them.
  const folders = path.split(delimiter).filter((each) => !each.endsWith(join('node_modules', '.bin')));
  if (folders.some((each) => existsSync(join(each, 'botbell')))) return 'botbell';
  return `node ${shellWord(relative(resolve(folder), PROGRAM))}`;
}

/** A service runs in another folder, with its ledger there: `serve` would make a second ledger in this folder. */
function isOfService(folder: string): boolean {
  return resolve(folder).startsWith('/etc/');
}

interface Steps {
  readonly botbell: string;
  /** Undefined if the reader is in the folder already. */
  readonly folder: string | undefined;
  readonly sample: string;
  /** Whether secrets have to be set before anything runs. */
  readonly isRemote: boolean;
}

export function nextSteps(say: Words, { botbell, folder, sample, isRemote }: Steps): string {
  const written = folder === undefined ? say('init.written here') : say('init.written', { folder });
  const config = join(folder ?? '', 'botbell.yaml');
  const ofService = [say('init.service'), `${botbell} check --without-secrets --config ${shellWord(config)}`];
  const steps: readonly (readonly string[])[] = isOfService(folder ?? '')
    ? [ofService]
    : [
        folder === undefined ? [] : [say('init.enter'), `cd ${shellWord(folder.replace(/^-/, './-'))}`],
        isRemote ? [say('init.secrets'), 'cp .env.example .env', 'set -a; . ./.env; set +a'] : [],
        [say('init.check'), `${botbell} check`],
        isRemote
          ? [say('init.test'), `${botbell} test --all`, `${botbell} serve`]
          : [say('init.print'), `${botbell} serve`],
        [say('init.send'), `${botbell} send ${shellWord(sample)}`],
        isRemote ? [] : [say('init.later'), `(set -a; . ./.env; ${botbell} serve)`],
      ];
  return `${written}\n\n${steps
    .filter(([what]) => what !== undefined)
    .map((lines) => lines.join('\n  '))
    .join('\n')}`;
}
