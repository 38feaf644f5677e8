/**
 * Tries the simulator: plants one fault at a time in a copy of the tree, and runs seeds until one is red.
 * `npm run simulate:planted -- [--seeds 300] [--only 'a part of what it does'] [--jobs 2] [--minutes 40]`; `--minutes`: begins no more
 * after that.
 */
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { temporaryFolder } from './configs.ts';
import { type Planted, PLANTED } from './planted/faults.ts';

const ROOT = join(import.meta.dirname, '../..');

const COPIED = ['src', 'test/simulation', 'templates', 'config', 'package.json', 'tsconfig.json'];

/** A run that takes longer hangs; this, too, counts as found. */
const LONGEST_RUN_MS = 15 * 60_000;

const LEAST_FOUND = 35;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    only: { type: 'string', default: '' },
    // One for each core.
    jobs: { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: 'Infinity' },
  },
});

function copyOfTheTree(): string {
  const { path: folder, remove } = temporaryFolder();
  process.once('exit', remove);
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Bundles the simulator, since otherwise each run would read all sources anew. @throws {Error} the sources are no TypeScript */
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
  return lines.find((line) => /^seed |Error/.test(line)) ?? lines[0];
}

/** `simulation.test.ts` checks that the text occurs exactly once. @returns whether a seed is red with the fault */
async function isFound({ file, does, from, to }: Planted, folder: string): Promise<boolean> {
  const since = performance.now();
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.split(from).join(to));
  const line = await firstRed(folder);
  writeFileSync(path, text);
  const seconds = Math.round((performance.now() - since) / 1000);
  const result = line === undefined ? 'not found' : 'found';
  process.stdout.write(`${result}, ${seconds} s: ${does}\n    ${line?.slice(0, 240) ?? ''}\n`);
  return line !== undefined;
}

const began = performance.now();
const chosen = PLANTED.filter(({ does }) => does.includes(values.only));
const left = chosen.values();
let [tried, found] = [0, 0];

async function tryAll(folder: string): Promise<void> {
  while (performance.now() < began + Number(values.minutes) * 60_000) {
    const { value: planted } = left.next();
    if (planted === undefined) return;
    tried += 1;
    if (await isFound(planted, folder)) found += 1;
  }
}

const folders = Array.from({ length: Number(values.jobs) }, copyOfTheTree);
// Not with `--only`: who tries a few faults knows that the tree is green.
const red = values.only === '' ? await firstRed(folders[0] as string) : undefined;
if (red !== undefined) throw new Error(`it finds something where nothing is planted: ${red}`);
await Promise.all(folders.map(tryAll));
process.stdout.write(`${found} of ${tried} found, ${chosen.length - tried} not looked for\n`);
process.exitCode = found >= Math.min(LEAST_FOUND, chosen.length) ? 0 : 1;
