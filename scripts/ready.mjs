// Makes a fresh clone ready to run: installs what the lock file names, and builds, each only if out of date.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Not import.meta.dirname: Node 18, which lacks it, must get as far as the message below.
process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const { engines } = /** @type {{ engines: { node: string } }} */ (
  JSON.parse(readFileSync('package.json', 'utf8'))
);
const needed = engines.node.replace('>=', '');
if (process.versions.node.localeCompare(needed, 'en', { numeric: true }) < 0) {
  console.error(
    `Botbell needs Node ${needed} or newer; this is Node ${process.versions.node} (${process.execPath})`,
  );
  process.exit(1);
}

/** @param {string} path */
const modifiedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** @param {string} folder */
const newestIn = (folder) =>
  Math.max(
    ...readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => modifiedAt(join(entry.parentPath, entry.name))),
  );

/**
 * @param {string} command
 * @param {string[]} args
 */
const run = (command, ...args) => {
  const { status } = spawnSync(command, args, {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
};

if (modifiedAt('node_modules/.package-lock.json') < modifiedAt('package-lock.json')) {
  console.error('installing what package-lock.json names …');
  // `npm install --global .` asks for this in a fresh clone, and what npm is asked there is global, too.
  run('npm', 'ci', '--no-global', '--no-fund', '--no-audit', '--loglevel=error');
}

// package-lock.json counts too, since the build bundles packages.
const sources = Math.max(newestIn('src'), modifiedAt('scripts/build.mjs'), modifiedAt('package-lock.json'));
// A production install has no bundler, and runs what was built before.
const canBuild = modifiedAt('node_modules/esbuild/package.json') > 0;
if (canBuild && modifiedAt('dist/main.js') < sources) {
  console.error('building …');
  run('npm', 'run', '--silent', 'build');
}
