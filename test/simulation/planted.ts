/**
 * Tries the simulator: plants one fault at a time in a copy of the tree, and runs seeds until one is red.
 * `npm run simulate:planted -- [--seeds 300] [--only 'a part of what it does'] [--all] [--jobs 2] [--minutes 40]`, with `--all` those, too,
 * that no world shows; `--minutes`: begins no more after that.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { PLANTED } from './planted/all.ts';
import type { Planted } from './planted/planted.ts';

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
    // One for each core.
    jobs: { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: 'Infinity' },
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
async function firstRed(folder: string): Promise<string | undefined> {
  const args = [bundledIn(folder), '--seeds', values.seeds, '--stop'];
  const run = spawn(process.execPath, args, { cwd: folder, timeout: LONGEST_RUN_MS });
  const said = [run.stdout, run.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  const status = await new Promise<number | null>((resolve) => run.on('close', resolve));
  if (status === 0) return undefined;
  if (status === null) return 'it stands still';
  const lines = (await Promise.all(said)).flat().join('').split('\n');
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

async function tried(planted: Planted, folder: string): Promise<Result> {
  const since = performance.now();
  let result: Result = 'cannot be planted';
  let line: string | undefined;
  try {
    const takeOut = plant(planted, folder);
    try {
      line = await firstRed(folder);
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

const began = performance.now();
const named = PLANTED.filter(({ does }) => does.includes(values.only));
const chosen = named.filter(({ unseen }) => values.all || unseen === undefined);
const left = chosen.values();

/** Tries one after the other of those that are left, in a tree of its own. */
async function tryAll(folder: string): Promise<Result[]> {
  const results: Result[] = [];
  while (performance.now() < began + Number(values.minutes) * 60_000) {
    const { value: planted } = left.next();
    if (planted === undefined) break;
    results.push(await tried(planted, folder));
  }
  return results;
}

const folders = Array.from({ length: Number(values.jobs) }, copyOfTheTree);
// Of a few, whoever looks after one knows.
const red = values.only === '' ? await firstRed(folders[0] as string) : undefined;
if (red !== undefined) throw new Error(`it finds something where nothing is planted: ${red}`);
const results = (await Promise.all(folders.map(tryAll))).flat();
for (const folder of folders) rmSync(folder, { recursive: true });
const found = results.filter((result) => result === 'found').length;
process.stdout.write(
  `${found} of ${results.length} found, ${named.length - results.length} not looked for: of ${named.length - chosen.length} the reason stands beside them\n`,
);
process.exitCode = found >= Math.min(LEAST_FOUND, chosen.length) ? 0 : 1;
