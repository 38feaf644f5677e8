/** Loads configs as the tests of this folder need it: fake channels, fixed variables, no look at real folders. */
import { readFileSync } from 'node:fs';
import { loadConfig, type LoadedConfig } from '../../src/config/load.ts';
import { fakeChannels } from './fake-channels.ts';

/** The value of the variable SECRET: in no error, ever. */
export const SECRET = 'hunter2hunter2';

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'built-in': ['en', 'ja'],
  './templates': ['short', 'ja'],
};

export interface Given {
  readonly variables?: Readonly<Record<string, string>>;
  /** By path; other paths are missing. */
  readonly files?: Readonly<Record<string, string>>;
  readonly withoutSecrets?: boolean;
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

function load(file: string, { variables = {}, files = {}, withoutSecrets = false }: Given): LoadedConfig {
  return loadConfig(file, {
    variables,
    withoutSecrets,
    channelTypes: fakeChannels,
    builtInSets: ['en', 'ja'],
    readFile: (path) => files[path] ?? missing(),
    readFolders: (path) => [...(FOLDERS[path] ?? missing())],
  });
}

function missing(): never {
  throw Object.assign(new Error('missing'), { code: 'ENOENT' });
}
