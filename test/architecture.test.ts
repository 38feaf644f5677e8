/** The house rules that a reader may rely on: layers, and channels known by one line. `npm run check` finds cycles. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect } from 'chai';

const SRC = join(import.meta.dirname, '../src');

/** Each folder may import the ones named beside it, and itself. */
const MAY_IMPORT: Readonly<Record<string, string>> = {
  text: '',
  time: 'text',
  callback: 'text time',
  signal: 'text time callback',
  outbound: 'text',
  channels: 'text time callback outbound',
  notice: 'text time callback signal channels',
  config: 'text time callback signal channels outbound',
  observe: 'text time',
  http: 'text time',
  route: 'text callback signal config',
  render: 'text time callback channels notice config',
  ledger: 'text time callback signal channels notice',
  deliver: 'text time callback signal channels notice config route ledger',
  receive: 'text time callback config http deliver ledger',
  story: 'text time callback signal channels notice ledger',
  people: 'text time callback signal channels notice config route ledger deliver story',
  admin:
    'text time callback signal channels notice config http observe route render ledger deliver story people',
  'stand-ins': 'text callback channels',
};

/** The top of the house, which puts the stages together. */
const ROOT_FILES = ['main.ts', 'process.ts', 'package-files.ts'];

/** It stands at the top since it finds the package's files from there, and imports nothing: any room may. */
const FOUNDATION = 'package-files.ts';

/** What the chats that are told over HTTP share; no channel. */
const SHARED_BY_CHATS = 'chat';

/** A channel is one folder; the registry alone knows them all. */
const CHANNELS = readdirSync(join(SRC, 'channels'), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() && entry.name !== SHARED_BY_CHATS ? [`channels/${entry.name}/`] : [],
);

/** Another way to the service of another channel, whose messages are the same. */
const SAME_SERVICE: Readonly<Record<string, string>> = { 'channels/slack-webhook/': 'channels/slack/' };

/** Where channels may be known. */
const KNOW_CHANNELS = [...CHANNELS, 'channels/registry.ts', 'stand-ins/', 'cli/demo'];

interface SourceFile {
  /** Relative to `src`, with forward slashes. */
  readonly path: string;
  readonly imports: readonly string[];
}

function readSources(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(SRC, path), 'utf8');
      return { path: path.replaceAll('\\', '/'), imports: importsOf(path, text) };
    });
}

function importsOf(path: string, text: string): string[] {
  const relatives = text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g);
  return [...relatives].map(([, target = '']) => relative(SRC, normalize(join(SRC, dirname(path), target))));
}

function folderOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : '';
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
      const allowed = MAY_IMPORT[own]?.split(' ');
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

  it('knows the folder of a channel only where the channel lives', () => {
    const knowing = sources.filter(
      ({ path, imports }) =>
        !KNOW_CHANNELS.some((place) => path.startsWith(place)) &&
        imports.some((target) => CHANNELS.some((folder) => target.startsWith(folder))),
    );
    expect(knowing.map(({ path }) => path)).to.deep.equal([]);
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
});
