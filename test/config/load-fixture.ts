/** Loads configs as the tests of this folder need it: a fake chat beside the real channels, no look at real folders. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { loadConfig, type LoadedConfig, type LoadEnvironment } from '../../src/config/load.ts';
import { typesWithFake } from './fake-channels.ts';

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'built-in': ['en', 'ja'],
  'test/fixtures/configs/templates': ['short', 'ja'],
};

/** Else no variable is set. */
interface Given extends Partial<LoadEnvironment> {
  /** By path; other paths are missing. */
  readonly files?: Readonly<Record<string, string>>;
}

const SURROUNDINGS: Given = {
  variables: {
    SECRET: 'hunter2hunter2',
    PART: 'hunter',
    CHAT_TOKEN: 'xoxb-1',
    MAX: '12',
    LIMIT: '3',
    PROXY: '192.0.2.9',
    METRICS: 'scrape/me+right+now==',
    DB_PASSWORD: 'p%40ssword',
    HOST: 'db.internal',
    CHECK: '5e0a-4f21',
    QUOTED: '"sqlite:a.db"',
    EMPTY: '',
    BROKEN: 'http://a\nb',
  },
  files: {
    '/run/secrets/chat': '1234567\n',
    '/run/secrets/broken': 'a\nb\n',
    '/run/secrets/empty': '\n',
    'test/fixtures/configs/holidays.csv': '\x8d\x91\x96\xaf\r\n2025/1/1,\x8c\xb3\x93\xfa\r\n2026/11/3,\r\n',
    'test/fixtures/configs/empty.csv': 'day\n2026111\n2026/13/1\n',
  },
};

export function fixtures() {
  const folder = 'test/fixtures/configs';
  const names = readdirSync(folder).flatMap((file) => /^(.*)\.yaml$/.exec(file)?.[1] ?? []);
  return names.map((name) => {
    const textIn = (ending: string) => {
      const file = `${folder}/${name}.${ending}`;
      return existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : undefined;
    };
    const types = [...typesWithFake.keys()].join(', ');
    const filled = (text?: string) => text?.replaceAll('{types}', types).replaceAll('{here}', process.cwd());
    const told = filled(textIn('txt'))?.split('\n') ?? [];
    return {
      name,
      file: `${folder}/${name}.yaml`,
      text: `${textIn('yaml')}\n`,
      /** What is said of it, as `line:column: message`. */
      told,
      isRefused: told.some((line) => !/^\d+:\d+: warning: /.test(line)),
      /** Parts of the config that it is read as, as JSON; null for one that is not there. */
      read: JSON.parse(filled(textIn('json')) ?? '{}') as Record<string, unknown>,
    };
  });
}

export function loadFixture({ file, text }: { readonly file: string; readonly text: string }): LoadedConfig {
  const files = { ...SURROUNDINGS.files, [file]: text };
  return load(file, { ...SURROUNDINGS, files });
}

export function loadText(text: string, given: Given = {}): LoadedConfig {
  return load('botbell.yaml', { ...given, files: { ...given.files, 'botbell.yaml': text } });
}

function load(file: string, { files = {}, ...given }: Given): LoadedConfig {
  return loadConfig(file, {
    variables: {},
    channelTypes: typesWithFake,
    builtInSets: ['en', 'ja'],
    readFile: (path) => files[path] ?? files[relative('.', path)] ?? missing(),
    readBytes: (path) => files[relative('.', path)] ?? missing(),
    now: Date.UTC(2026, 10, 29),
    readFolders: (path) => [...(FOLDERS[relative('.', path)] ?? missing())],
    ...given,
  });
}

function missing(): never {
  throw Object.assign(new Error('missing'), { code: 'ENOENT' });
}
