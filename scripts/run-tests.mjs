// Runs tests in parallel: `node scripts/run-tests.mjs fast|browser|nightly`, or files and folders by name; with no word,
// the fast ones, and beside them what `npm run check` checks. Ends with a line that says how many tests passed and failed.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import Mocha from 'mocha';
import 'tsx';

/** The longest files begin first, so that none of them runs alone at the end. */
const LONGEST_FIRST = [
  'browser/hostile-values',
  'browser/every-view',
  'ledger/postgres-contract',
  'e2e/proofs/store',
  'simulation/',
  'e2e/proofs/',
  'ledger/postgres-trouble',
  'ledger/people',
  'e2e/process',
  'ledger/keeper',
  'cli/commands',
  'e2e/',
  'hostile/',
  'ledger/',
  'browser/',
];

/** Tests that need programs npm does not install, always take long, or measure the machine as much as the product. */
const ONLY_NIGHTLY = ['deploy/proxies', 'e2e/package', 'ledger/pgbouncer', 'ledger/store-space'];

const IN_BROWSER = ['browser/'];

/** @param {readonly string[]} names @returns {(file: string) => boolean} */
const isOneOf = (names) => (file) => names.some((name) => file.startsWith(`test/${name}`));
const isNightly = isOneOf(ONLY_NIGHTLY);
const isInBrowser = isOneOf(IN_BROWSER);

/** @type {Readonly<Record<string, (file: string) => boolean>>} */
const RUNS = {
  fast: (file) => !isInBrowser(file) && !isNightly(file),
  browser: isInBrowser,
  nightly: (file) => !isInBrowser(file),
};

/** @param {string} file */
function rankOf(file) {
  const rank = LONGEST_FIRST.findIndex((name) => file.startsWith(`test/${name}`));
  return rank === -1 ? LONGEST_FIRST.length : rank;
}

/** @param {string} word @returns {string[]} */
function filesOf(word) {
  const name = relative('', word);
  const isIn = RUNS[word] ?? ((file) => file === name || file.startsWith(`${name}/`));
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((file) => `test/${file}`);
  const files = all.filter((file) => file.endsWith('.test.ts') && isIn(file));
  if (files.length > 0) return files;
  console.error(
    `No test is at ${word}: give a file or folder of test/, or one of ${Object.keys(RUNS).join(', ')}.`,
  );
  process.exit(2);
}

const words = process.argv.slice(2);
const files = new Set((words.length > 0 ? words : ['fast']).flatMap(filesOf));

const settings = /** @type {{ timeout: number, import: string[] }} */ (
  JSON.parse(readFileSync('.mocharc.json', 'utf8'))
);

// Mocha forks its workers with this process's `execArgv`, so they load these modules too.
process.execArgv.push(...settings.import.flatMap((file) => ['--import', file]));

const { sharePostgres } = await import('../test/support/postgres-server.ts');
const postgres = await sharePostgres();

/** @param {number} pid @returns {number[]} */
function descendantsOf(pid) {
  const listed = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).stdout.trim().split('\n');
  const processes = listed.map((line) => line.trim().split(/\s+/).map(Number));
  /** @param {number} parent @returns {number[]} */
  const below = (parent) =>
    processes.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid);
}

/** Nobody waits for the results any more: no test goes on, nor anything that one has started. */
async function giveUp() {
  await postgres.close();
  for (const pid of descendantsOf(process.pid)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void giveUp());
for (const stream of [process.stdout, process.stderr]) stream.once('error', () => void giveUp());

if (words.length === 0) {
  const check = spawn('npm', ['run', '--silent', 'check'], { stdio: 'inherit' });
  check.once('exit', (status) => void (status === 0 || giveUp()));
}

const mocha = new Mocha({
  timeout: settings.timeout,
  reporter: 'dot',
  forbidPending: true,
  parallel: true,
  // One job more than cores, since many tests mostly wait. At least 2: with one job mocha would run the files in this process.
  jobs: Math.max(2, Number(process.env['BOTBELL_TEST_JOBS'] ?? availableParallelism() + 1)),
});
for (const file of [...files].sort((a, b) => rankOf(a) - rankOf(b))) mocha.addFile(file);

/** @type {Map<string, number>} */
const millisecondsOf = new Map();
/** @param {Mocha.Test | Mocha.Hook} done */
const count = ({ file = '', duration = 0 }) =>
  millisecondsOf.set(file, (millisecondsOf.get(file) ?? 0) + duration);

let passed = 0;
/** @param {number} failed */
function report(failed) {
  const slowest = [...millisecondsOf].sort(([, a], [, b]) => b - a).slice(0, 10);
  for (const [file, ms] of slowest) console.log(`${(ms / 1000).toFixed(0).padStart(4)} s  ${file}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

const runner = mocha.run((failed) => {
  void postgres.close().finally(() => report(failed));
});
runner.on('pass', () => (passed += 1));
runner.on('test end', count);
runner.on('hook end', count);
