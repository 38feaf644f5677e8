/** The house rules that a reader may rely on: layers, no cycles, no drawers, channels known by one line. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect } from 'chai';

const SRC = join(import.meta.dirname, '../src');

/** Each folder may import the ones named beside it, and itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  text: [],
  time: ['text'],
  callback: ['text', 'time'],
  signal: ['text', 'time', 'callback'],
  outbound: ['text'],
  channels: ['text', 'time', 'callback', 'outbound'],
  notice: ['text', 'time', 'callback', 'signal', 'channels'],
  config: ['text', 'time', 'callback', 'signal', 'channels', 'outbound'],
  observe: ['text', 'time'],
  http: ['text', 'time'],
  route: ['text', 'callback', 'signal', 'config'],
  render: ['text', 'time', 'callback', 'channels', 'notice', 'config'],
  ledger: ['text', 'time', 'callback', 'signal', 'channels', 'notice'],
  deliver: ['text', 'time', 'callback', 'signal', 'channels', 'notice', 'config', 'route', 'ledger'],
  receive: ['text', 'time', 'callback', 'config', 'http', 'deliver', 'ledger'],
  story: ['text', 'time', 'callback', 'signal', 'channels', 'notice', 'ledger'],
  people: [
    'text',
    'time',
    'callback',
    'signal',
    'channels',
    'notice',
    'config',
    'route',
    'ledger',
    'deliver',
    'story',
  ],
  admin: [
    'text',
    'time',
    'callback',
    'signal',
    'channels',
    'notice',
    'config',
    'http',
    'observe',
    'route',
    'render',
    'ledger',
    'deliver',
    'story',
    'people',
  ],
  'stand-ins': ['text', 'callback', 'channels'],
};

/** The top of the house, which puts the stages together. */
const ROOT_FILES = ['main.ts', 'process.ts', 'package-files.ts'];

/** It stands at the top since it finds the package's files from there, and imports nothing: any room may. */
const FOUNDATION = 'package-files.ts';

/** What the chats that are told over HTTP share; no channel. */
const SHARED_BY_CHATS = 'chat';

/** A channel is one folder; the registry alone knows them all. */
const NAMES = readdirSync(join(SRC, 'channels'), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() && entry.name !== SHARED_BY_CHATS ? [entry.name.replaceAll('-', '_')] : [],
);
const CHANNELS = NAMES.map((name) => `channels/${name.replaceAll('_', '-')}/`);

/** Another way to the service of another channel, whose messages are the same. */
const SAME_SERVICE: Readonly<Record<string, string>> = { 'channels/slack-webhook/': 'channels/slack/' };

/** Where channels and markups may be known by their names. */
const KNOW_CHANNELS = [...CHANNELS, 'channels/registry.ts', 'stand-ins/', 'cli/demo'];

const NAMES_OF_CHANNELS = new RegExp(`['"\`](?:${NAMES.join('|')})['"\`]`);
const NAMES_OF_MARKUPS =
  /['"`](?:mrkdwn|markdown|rich_text|plain_text|raw_text)['"`]|\b(?:MRKDWN|MARKDOWN|RICH_TEXT|PLAIN_TEXT|HTML|MAIL_TEXT)\b/;

interface SourceFile {
  /** Relative to `src`, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function readSources(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(SRC, path), 'utf8');
      return { path: path.replaceAll('\\', '/'), text, imports: importsOf(path, text) };
    });
}

function importsOf(path: string, text: string): string[] {
  const relatives = text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g);
  return [...relatives].map(([, target = '']) => relative(SRC, normalize(join(SRC, dirname(path), target))));
}

function folderOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : '';
}

function findCycle(sources: readonly SourceFile[]): string[] | undefined {
  const importsByPath = new Map(sources.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of importsByPath.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const { path } of sources) {
    const cycle = visit(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe('The architecture', () => {
  const sources = readSources();

  it('has only the folders that the documentation names', () => {
    const folders = new Set(sources.map(({ path }) => folderOf(path)));
    expect([...folders].sort()).to.deep.equal(['', ...Object.keys(MAY_IMPORT), 'app', 'cli'].sort());
    const rootFiles = sources.filter(({ path }) => folderOf(path) === '').map(({ path }) => path);
    expect(rootFiles.sort()).to.deep.equal([...ROOT_FILES].sort());
  });

  it('lets imports run one way, from stage to foundation', () => {
    const wrong = sources.flatMap(({ path, imports }) => {
      const own = folderOf(path);
      const allowed = MAY_IMPORT[own];
      if (allowed === undefined) return [];
      return imports
        .filter(
          (target) =>
            target !== FOUNDATION && folderOf(target) !== own && !allowed.includes(folderOf(target)),
        )
        .map((target) => `${path} -> ${target}`);
    });
    expect(wrong).to.deep.equal([]);
  });

  it('has no import cycle, types included', () => {
    expect(findCycle(sources)).to.equal(undefined);
  });

  it('knows a channel, its markup and its files only where the channel lives', () => {
    const knowing = sources
      .filter(({ path }) => !KNOW_CHANNELS.some((place) => path.startsWith(place)))
      .filter(({ text, imports }) => {
        const code = text.replaceAll(/\/\*.*?\*\/|\/\/.*$/gms, '');
        const isNamed = NAMES_OF_CHANNELS.test(code) || NAMES_OF_MARKUPS.test(code);
        return isNamed || imports.some((target) => CHANNELS.some((folder) => target.startsWith(folder)));
      })
      .map(({ path }) => path);
    expect(knowing).to.deep.equal([]);
  });

  it('has no channel that knows another one', () => {
    const wrong = sources.flatMap(({ path, imports }) => {
      const own = CHANNELS.find((folder) => path.startsWith(folder));
      if (own === undefined) return [];
      const others = CHANNELS.filter((folder) => folder !== own && folder !== SAME_SERVICE[own]);
      return imports
        .filter((target) => others.some((other) => target.startsWith(other)))
        .map((target) => `${path} -> ${target}`);
    });
    expect(wrong).to.deep.equal([]);
  });

  it('has no drawers: no utils, helpers or common, and no file that only hands others on', () => {
    const drawers = sources.filter(({ path }) =>
      /(^|\/)(utils?|helpers?|common|index|misc)(\.|\/)/.test(path),
    );
    const barrels = sources.filter(({ text }) => /^export (?:type )?(?:\*|\{[^}]*\}).* from/m.test(text));
    expect([...drawers, ...barrels].map(({ path }) => path)).to.deep.equal([]);
  });

  it('opens each file with a sentence that says what it is', () => {
    const silent = sources.filter(({ text }) => !/^(#!.*\n)?\/\*\*/.test(text)).map(({ path }) => path);
    expect(silent).to.deep.equal([]);
  });
});
