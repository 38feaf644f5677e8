// Tries what was built on each Node that is in use: fetches their programs as packages of npm into a temporary folder, and on
// each runs check, demo, and a service that init has set up. Says what came of it in a table; exits 1 where anything failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const MAIN = join(ROOT, 'dist/main.js');

const { engines } = /** @type {{ engines: { node: string } }} */ (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
);

/** The oldest that will do, those with long-term support, and the newest. */
const VERSIONS = [engines.node.replace('>=', '') + '.0', '22', '24', '>=25'];

/** Each package holds the program for one platform, and needs no install script. */
const PACKAGE = `node-${process.platform}-${process.arch}`;

const FETCH_MS = 50_000;
const STEP_MS = 30_000;

/** @typedef {{ code: number | null, output: string }} Ended */

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, timeout: number }} options
 * @returns {Promise<Ended>} also where it could not be started, or took too long
 */
async function run(command, args, options) {
  const child = spawn(command, args, { ...options, env: variables(), killSignal: 'SIGKILL' });
  const output = gather(child);
  const code = await exitOf(child);
  return { code, output: output() };
}

/** What npm sets for the scripts that it runs would reach the programs that are tried. */
function variables() {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|BOTBELL_)/.test(name));
  return Object.fromEntries(own);
}

/** @param {import('node:child_process').ChildProcessWithoutNullStreams} child */
function gather(child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (/** @type {Buffer} */ chunk) => (output += chunk.toString()));
  }
  return () => output;
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number | null>} null where a signal has ended it, or it could not be started
 */
async function exitOf(child) {
  try {
    const [code] = /** @type {[number | null]} */ (await once(child, 'close'));
    return code;
  } catch {
    return null;
  }
}

/**
 * @param {string} version a range of npm's
 * @param {string} folder
 * @returns {Promise<{ program: string } | { missing: string }>}
 */
async function fetchNode(version, folder) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const args = ['install', `${PACKAGE}@${version}`, '--ignore-scripts', '--prefer-offline', '--no-audit'];
  const ended = await run('npm', [...args, '--no-fund'], { cwd: folder, timeout: FETCH_MS });
  if (ended.code === 0) return { program: join(folder, 'node_modules', PACKAGE, 'bin/node') };
  const reason = /npm error (?!code|A complete)(.+)/.exec(ended.output)?.[1];
  return { missing: reason ?? `npm took longer than ${FETCH_MS / 1000} s` };
}

/** @typedef {(program: string, folder: string) => Promise<Ended>} Step */

/** @type {Readonly<Record<string, Step>>} */
const STEPS = {
  check: (program, cwd) => {
    const args = ['check', '--without-secrets', '--config', join(ROOT, 'config/botbell.example.yaml')];
    return run(program, [MAIN, ...args], { cwd, timeout: STEP_MS });
  },
  demo: (program, cwd) => run(program, [MAIN, 'demo'], { cwd, timeout: STEP_MS }),
  'init and serve': async (program, cwd) => {
    const initialised = await run(program, [MAIN, 'init'], { cwd, timeout: STEP_MS });
    if (initialised.code !== 0) return initialised;
    const config = join(cwd, 'botbell.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replaceAll(/(127\.0\.0\.1):808\d/g, '$1:0'));
    return serveOne(program, cwd);
  },
};

/**
 * Starts the service, posts each sample and stops it. Its code is 0 where each was answered 200 and it has ended well.
 * @type {Step}
 */
async function serveOne(program, cwd) {
  const child = spawn(program, [MAIN, 'serve'], { cwd, env: variables(), timeout: STEP_MS });
  const output = gather(child);
  const exit = exitOf(child);
  const url = await Promise.race([listening(child, output), exit]);
  const refusals = typeof url === 'string' ? await postAll(url) : '\nit never listened';
  child.kill('SIGTERM');
  const code = await exit;
  return { code: refusals === '' ? code : 1, output: `${output()}${refusals}` };
}

/**
 * @param {import('node:child_process').ChildProcessWithoutNullStreams} child
 * @param {() => string} output
 * @returns {Promise<string>} where callbacks go
 */
async function listening(child, output) {
  for (;;) {
    const [, url] = /"callbacks":"(http:[^"]+)"/.exec(output()) ?? [];
    if (url !== undefined) return url;
    await once(child.stderr, 'data');
  }
}

/**
 * @param {string} url
 * @returns {Promise<string>} what was not answered 200
 */
async function postAll(url) {
  const samples = join(ROOT, 'config/samples');
  const headers = { 'content-type': 'application/json' };
  let refusals = '';
  for (const sample of readdirSync(samples)) {
    const { status } = await fetch(url, {
      method: 'POST',
      headers,
      body: readFileSync(join(samples, sample)),
    });
    if (status !== 200) refusals += `\n${sample} was answered ${status}`;
  }
  return refusals;
}

/**
 * @typedef {{ cells: readonly string[], failures: readonly string[], isMissing: boolean }} Row the version and what came of
 *   each step; of what failed, all that it said
 */

/**
 * @param {string} version
 * @param {string} folder
 * @returns {Promise<Row>}
 */
async function tried(version, folder) {
  const fetched = await fetchNode(version, folder);
  if ('missing' in fetched) {
    const cells = [version, `not tried: ${PACKAGE}@${version} could not be had: ${fetched.missing}`];
    return { cells, failures: [], isMissing: true };
  }
  const { program } = fetched;
  const own = await run(program, ['--version'], { cwd: folder, timeout: STEP_MS });
  const cells = [own.output.trim() || version];
  const failures = [];
  for (const [name, step] of Object.entries(STEPS)) {
    const began = Date.now();
    const { code, output } = await step(program, folder);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    cells.push(`${code === 0 ? 'ok' : 'FAILED'}, ${seconds} s`);
    if (code !== 0) failures.push(`\n${cells[0]}, ${name}, ended with ${code}:\n${output.trim()}`);
  }
  return { cells, failures, isMissing: false };
}

const parent = mkdtempSync(join(tmpdir(), 'botbell-node-'));
try {
  const rows = await Promise.all(
    VERSIONS.map((version, index) => tried(version, mkdtempSync(join(parent, `${index}-`)))),
  );
  const head = ['Node', ...Object.keys(STEPS)];
  for (const cells of [head, ...rows.map((row) => row.cells)]) {
    console.log(
      cells
        .map((cell) => cell.padEnd(14))
        .join('')
        .trimEnd(),
    );
  }
  const missing = rows.filter(({ isMissing }) => isMissing).length;
  if (missing > 0) console.log(`${missing} of ${rows.length} versions could not be had here`);
  const failures = rows.flatMap((row) => row.failures);
  for (const failure of failures) console.log(failure);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  rmSync(parent, { recursive: true, force: true });
}
