// Tries the build on each Node version in use: installs each version's npm package in a temporary folder, and runs `check` and
// `demo` with it. Exits 1 if any fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

const { engines } = /** @type {{ engines: { node: string } }} */ (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
);

/** The oldest supported version, those with long-term support, and the newest. */
const VERSIONS = [`${engines.node.replace('>=', '')}.0`, '22', '24', '>=25'];

/** The package with Node's binary for this platform; it has no install script. */
const PACKAGE = `node-${process.platform}-${process.arch}`;

/** Without the variables that npm sets for its scripts, and that would change how the tried programs run. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|BOTBELL_)/.test(name)),
);

const STEPS = [['check', '--config', 'config/botbell.yaml'], ['demo']];

/** @param {string} version */
function tried(version) {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-node-'));
  try {
    const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${PACKAGE}@${version}`];
    if (spawnSync('npm', args, { stdio: 'ignore', timeout: 120_000 }).status !== 0)
      return 'could not be fetched';
    const node = join(folder, 'node_modules', PACKAGE, 'bin/node');
    for (const step of STEPS) {
      const run = spawnSync(node, ['dist/main.js', ...step], {
        cwd: ROOT,
        env,
        encoding: 'utf8',
        timeout: 60_000,
      });
      if (run.status !== 0) return `${step[0]} failed:\n${run.stdout}${run.stderr}`;
    }
    return 'ok';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const version of VERSIONS) {
  const result = tried(version);
  console.log(`Node ${version}: ${result}`);
  if (result !== 'ok') process.exitCode = 1;
}
