/**
 * Changes the sources in small ways, one at a time, and says which changes no test notices: `npm run mutants -- [src/route …] [--changed]
 * [--jobs 2] [--least 85] [--one-in 3] [--turn 0] [--ms 2000]`; `--changed`: of the files that differ from main; `--one-in`: of three changes
 * one, the first or another (`--turn`); `--ms`: what the tests that judge one change may take, the likeliest to notice it first.
 * Ends with 1 if fewer than `least` percent are noticed.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import type { SourceFile } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { instrumented } from './instrument.ts';
import { judge } from './judge.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { TESTS_OF } from './tests-of.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    ms: { type: 'string', default: '2000' },
    'one-in': { type: 'string', default: '1' },
    turn: { type: 'string', default: '0' },
    least: { type: 'string', default: '85' },
  },
});

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);

const changed = () =>
  execFileSync('git', ['diff', '--name-only', 'main', '--', 'src'], { encoding: 'utf8' }).split('\n');
const places = values.changed ? changed() : positionals.length > 0 ? positionals : ['src'];
const isAsked = (file: string) => places.some((place) => `${file}/`.startsWith(`${relative('', place)}/`));
const SOURCES = filesIn('src').filter((file) => file.endsWith('.ts') && isAsked(file));
const TESTS = filesIn('test').filter((file) => file.endsWith('.test.ts'));

const api = new API({ cwd: process.cwd() });
const [project] = api.updateSnapshot({ openProjects: ['tsconfig.json'] }).getProjects();

function parsed(file: string): SourceFile {
  const source = project?.program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} is not in tsconfig.json`);
  return source;
}

const [oneIn, turn] = [Number(values['one-in']), Number(values.turn)];
let [noticed, made] = [0, 0];

async function look(files: readonly string[], tests: readonly string[]): Promise<void> {
  const mutants: { readonly of: SourceFile; readonly mutant: Mutant }[] = [];
  const sources: Record<string, string> = {};
  const firsts: number[] = [];
  for (const file of files) {
    const of = parsed(file);
    const own = mutantsOf(of);
    firsts.push(mutants.length);
    const source = instrumented(of, own, mutants.length);
    sources[pathToFileURL(resolve(file)).href] = transformSync(source, { loader: 'ts', format: 'esm' }).code;
    mutants.push(...own.map((mutant) => ({ of, mutant })));
  }
  const asked = [...mutants.keys()].filter((id) => id % oneIn === turn % oneIn);
  await judge({ sources, mutants: asked, files: firsts, tests, judgedMs: Number(values.ms) }, (id, fate) => {
    const { of, mutant } = mutants[id] ?? {};
    made += 1;
    if (fate === 'noticed') noticed += 1;
    else if (of !== undefined && mutant !== undefined) console.log(`${lineOf(of, mutant)}  (${fate})`);
  });
}

function lineOf({ fileName, text }: SourceFile, { start, end, after }: Mutant): string {
  const before = text.slice(0, start).split('\n');
  const [was, is] = [text.slice(start, end), after].map((each) => each.replace(/\s+/g, ' '));
  return `${relative('', fileName)}:${before.length}:${(before.at(-1) ?? '').length + 1}  ${was} → ${is}`;
}

const due = Object.entries(TESTS_OF)
  .map(([place, tests]) => ({
    files: SOURCES.filter((file) => file.startsWith(place)),
    tests: TESTS.filter((test) => tests.some((name) => test.startsWith(name))),
  }))
  .filter(({ files }) => files.length > 0);
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) await look(next.files, next.tests);
  }),
);
api.close();
const percent = made === 0 ? 100 : (100 * noticed) / made;
console.log(`${noticed} of ${made} mutants are noticed: ${percent.toFixed(1)} %`);
process.exitCode = percent >= Number(values.least) ? 0 : 1;
