/** Loads configs as the tests of this folder need it: fake channels, fixed variables, no look at real folders. */
import { readFileSync } from 'node:fs';
import { loadConfig, type LoadedConfig, type LoadEnvironment } from '../../src/config/load.ts';
import { formatProblem } from '../../src/config/problems.ts';
import { fakeChannels } from './fake-channels.ts';

/** The value of the variable SECRET: in no error, ever. */
export const SECRET = 'hunter2hunter2';

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'built-in': ['en', 'ja'],
  './templates': ['short', 'ja'],
};

/** Else: no variable is set, and the only channel type is a fake chat. */
export interface Given extends Partial<LoadEnvironment> {
  /** By path; other paths are missing. */
  readonly files?: Readonly<Record<string, string>>;
}

export function loadFixture(file: string): LoadedConfig {
  return load(file, {
    files: { [file]: readFileSync(file, 'utf8') },
    variables: { SECRET, CHAT_TOKEN: 'xoxb-1' },
  });
}

export function loadText(text: string, given: Given = {}): LoadedConfig {
  return load('botbell.yaml', { ...given, files: { 'botbell.yaml': text, ...given.files } });
}

/** What is said of a config, with its places in `botbell.yaml`. */
export function toldOf(text: string, given: Given = {}): string[] {
  return loadText(text, given).problems.map(formatProblem);
}

function load(file: string, { files = {}, ...given }: Given): LoadedConfig {
  return loadConfig(file, {
    variables: {},
    channelTypes: fakeChannels,
    builtInSets: ['en', 'ja'],
    readFile: (path) => files[path] ?? missing(),
    readFolders: (path) => [...(FOLDERS[path] ?? missing())],
    ...given,
  });
}

function missing(): never {
  throw Object.assign(new Error('missing'), { code: 'ENOENT' });
}
