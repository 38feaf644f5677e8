/**
 * Tries the simulator: plants one fault at a time in a copy of the tree, and runs seeds until one is red.
 * `npm run simulate:planted -- [--seeds 300] [--only 'a part of what it does'] [--all]`, with `--all` those, too, that no world shows.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { AROUND } from './planted/around.ts';
import { DELIVER } from './planted/deliver.ts';
import { LEDGER } from './planted/ledger.ts';
import type { Planted } from './planted/planted.ts';
import { RECEIVE } from './planted/receive.ts';
import { SIGNAL } from './planted/signal.ts';

const PLANTED: readonly Planted[] = [...DELIVER, ...LEDGER, ...SIGNAL, ...RECEIVE, ...AROUND];

const ROOT = join(import.meta.dirname, '../..');

const COPIED = ['src', 'test/simulation', 'templates', 'config', 'package.json', 'tsconfig.json'];

/** A run that takes longer stands still: that is found, too. */
const LONGEST_RUN_MS = 15 * 60_000;

/** So many of the faults at least must be found. */
const LEAST_FOUND = 35;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
    // `1/2`: every second of them, for a machine with several cores.
    shard: { type: 'string', default: '1/1' },
  },
});

function copyOfTheTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-planted-'));
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** As the program is built, since each fault would have all sources read anew. @throws {Error} they are no TypeScript */
function bundledIn(folder: string): string {
  const outfile = join(folder, 'bundled/simulate.js');
  cpSync(join(folder, 'src/admin/page/style.css'), join(folder, 'bundled/assets/app.css'));
  buildSync({
    absWorkingDir: folder,
    entryPoints: ['test/simulation/simulate.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  return outfile;
}

/** @returns the line of the first red seed; undefined: none */
function firstRed(folder: string): string | undefined {
  const args = [bundledIn(folder), '--seeds', values.seeds, '--stop'];
  const options = { cwd: folder, encoding: 'utf8', timeout: LONGEST_RUN_MS } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, args, options);
  if (status === 0) return undefined;
  if (status === null) return 'it stands still';
  const lines = `${stdout}\n${stderr}`.split('\n');
  return (
    lines.find((line) => line.startsWith('seed ')) ?? lines.find((line) => /Error/.test(line)) ?? lines[0]
  );
}

/** @throws {Error} the text is not there, or not once */
function plant({ file, from, to }: Planted, folder: string): () => void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const places = text.split(from).length - 1;
  if (places !== 1) throw new Error(`${file} has ${places} places for it`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return () => writeFileSync(path, text);
}

type Result = 'found' | 'not found' | 'cannot be planted';

function tried(planted: Planted, folder: string): Result {
  const since = performance.now();
  let result: Result = 'cannot be planted';
  let line: string | undefined;
  try {
    const takeOut = plant(planted, folder);
    try {
      line = firstRed(folder);
    } finally {
      takeOut();
    }
    result = line === undefined ? 'not found' : 'found';
  } catch (error) {
    line = String(error);
  }
  const seconds = Math.round((performance.now() - since) / 1000);
  const reason = line?.slice(0, 240) ?? planted.unseen ?? 'nobody knows why';
  process.stdout.write(`${result}, ${seconds} s: ${planted.does}\n    ${reason}\n`);
  return result;
}

const folder = copyOfTheTree();
const red = firstRed(folder);
if (red !== undefined) throw new Error(`it finds something where nothing is planted: ${red}`);
const named = PLANTED.filter(({ does }) => does.includes(values.only));
const [shard = 1, shards = 1] = values.shard.split('/').map(Number);
const chosen = named
  .filter(({ unseen }) => values.all || unseen === undefined)
  .filter((_, index) => index % shards === shard - 1);
const results = chosen.map((planted) => tried(planted, folder));
rmSync(folder, { recursive: true });
const found = results.filter((result) => result === 'found').length;
process.stdout.write(`${found} of ${chosen.length} found, ${named.length - chosen.length} not looked for\n`);
process.exitCode = found >= Math.min(LEAST_FOUND, chosen.length) ? 0 : 1;
