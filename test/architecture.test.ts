/** The house rules that a reader may rely on: layers, and channels known by one line. `npm run check` finds cycles. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { expect } from 'chai';

const SRC = join(import.meta.dirname, '../src');
const SIMULATION = join(import.meta.dirname, 'simulation');

/** Each folder may import the ones named beside it, and itself; what puts them together may import all. */
const MAY_IMPORT: Readonly<Record<string, string>> = {
  text: '',
  time: 'text',
  callback: 'text time',
  signal: 'text time callback',
  incident: '',
  report: 'text time callback signal',
  outbound: 'text time',
  channels: 'text time callback outbound',
  notice: 'text time callback signal incident report channels',
  config: 'text time callback signal channels outbound',
  observe: 'text time',
  http: 'text time',
  route: 'text callback signal config',
  render: 'text time callback signal incident report channels notice config',
  ledger: 'text time callback signal incident report channels notice outbound',
  deliver: 'text time callback signal incident report channels notice config route ledger',
  receive: 'text time callback config http deliver ledger',
  story: 'text time callback signal channels notice route ledger',
  people: 'text time callback signal incident report channels notice config route ledger deliver story',
  admin:
    'text time callback signal incident report channels notice config http observe route render ledger deliver story people',
  'stand-ins': 'text callback channels',
};

/** What puts the stages together: main, app, cli. */
const COMPOSITION = new Set(['', 'app', 'cli']);

/** It stands at the top since it finds the package's files from there, and imports nothing: any room may. */
const FOUNDATION = 'package-files.ts';

/** A channel is one folder; `chat` is what those share that are told over HTTP. */
const CHANNELS = readdirSync(join(SRC, 'channels'), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() && entry.name !== 'chat' ? [`channels/${entry.name}/`] : [],
);

/** Where channels may be known; slack-webhook is another way to Slack, whose messages are the same. */
const KNOW_CHANNELS: Readonly<Record<string, readonly string[]>> = {
  'channels/registry.ts': CHANNELS,
  'stand-ins/': CHANNELS,
  'cli/commands/demo': CHANNELS,
  'channels/slack-webhook/': ['channels/slack/'],
};

/** What the simulation may know of the rooms that it is to outlive: calls of the ledger go through it on their way to the database. */
const SEAM: Readonly<Record<string, readonly string[]>> = {
  'store.ts': ['ledger/ledger.ts', 'ledger/open-ledger.ts', 'ledger/registry.ts'],
};

/** Relative to the folder that was looked through; a package by its name. */
interface Import {
  readonly path: string;
  readonly target: string;
}

function importsIn(folder: string): Import[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  return paths.flatMap((path) => {
    const named = readFileSync(join(folder, path), 'utf8').matchAll(/(?:from|import\()\s*'([^'\n]+)'/g);
    return [...named].map(([, target = '']) => ({
      path,
      target: target.startsWith('.') ? join(dirname(path), target) : target,
    }));
  });
}

function allImports(): Import[] {
  return importsIn(SRC).filter(({ target }) => extname(target) !== '');
}

const SOURCES = '../../src/';

/** Also: nothing by which a table could be read. */
function isFromOutside({ path, target }: Import): boolean {
  if (!target.startsWith(SOURCES)) return !target.startsWith('..') && !/sqlite|^pg$/.test(target);
  const source = target.slice(SOURCES.length);
  return !/^(?:deliver|ledger)\//.test(source) || SEAM[path]?.includes(source) === true;
}

const folderOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

function isOneWay({ path, target }: Import): boolean {
  const [own, other] = [folderOf(path), folderOf(target)];
  if (COMPOSITION.has(own) || target === FOUNDATION || own === other) return true;
  return MAY_IMPORT[own]?.split(' ').includes(other) === true;
}

function mayKnow({ path, target }: Import): boolean {
  const channel = CHANNELS.find((folder) => target.startsWith(folder));
  if (channel === undefined || path.startsWith(channel)) return true;
  const places = Object.keys(KNOW_CHANNELS).filter((place) => path.startsWith(place));
  return places.some((place) => KNOW_CHANNELS[place]?.includes(channel));
}

/** Beginnings of the paths of files that each POST to Slack runs through. */
const ON_A_POSTS_WAY = [
  'callback/ receive/ text/ observe/ outbound/exchange render/outputs render/renderer render/engine',
  'channels/card channels/lines channels/outputs channels/show-card channels/chat/chat',
  'channels/slack/calls channels/slack/client channels/slack/compose channels/slack/rich-text',
  'deliver/attempt deliver/delivery deliver/destinations deliver/loop deliver/o deliver/pace deliver/post',
  'ledger/database-ledger ledger/callbacks/history ledger/callbacks/admit ledger/deliveries/deliveries ledger/deliveries/settle',
].flatMap((line) => line.split(' '));

/** Beside the way of a POST, or with keys that replace what the spread brings along, which costs little. */
const QUICK =
  /^\{ \.\.\.(?:about|address|admission|card|claimed|decided|dependencies|headers|incoming|limits|MOST|opened|order|record|row|run|table|this|told)\b/;

/** An object literal that begins with spreads, up to its first key, as prettier writes it on one line. */
const SPREAD_THEN_KEY =
  /\{ (?:\.\.\.(?:[^,{}()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+, )+(?!\.\.\.)[\w['].{0,20}/g;

function slowLiterals(): string[] {
  const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
    ON_A_POSTS_WAY.some((start) => path.startsWith(start)),
  );
  return paths.flatMap((path) => {
    const text = readFileSync(join(SRC, path), 'utf8').replaceAll(/\s+/g, ' ');
    const literals = [...text.matchAll(SPREAD_THEN_KEY)].map(([literal]) => literal);
    return literals.filter((literal) => !QUICK.test(literal)).map((literal) => `${path}: ${literal}`);
  });
}

describe('The architecture', () => {
  const imports = allImports();

  it('lets imports run one way, from stage to foundation', () => {
    expect(imports).to.have.length.above(1000);
    expect(imports.filter((each) => !isOneWay(each))).to.deep.equal([]);
  });

  it('knows the folder of a channel only where the channel lives, and in no other one', () => {
    expect(imports.filter((each) => !mayKnow(each))).to.deep.equal([]);
  });

  it('adds no key to a spread on the way of a POST, which takes V8 ten times as long as a spread after the keys', () => {
    expect(slowLiterals()).to.deep.equal([]);
  });

  it('lets the simulation reach the service from outside alone, and read no table', () => {
    const simulated = importsIn(SIMULATION);
    expect(simulated).to.have.length.above(50);
    expect(simulated.filter((each) => !isFromOutside(each))).to.deep.equal([]);
  });
});
