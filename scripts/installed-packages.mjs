// What npm has installed: each package with its licence, its install scripts, its size, and what it needs itself.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** npm runs these of a package that it installs, unless it is told not to. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

/**
 * @typedef {Readonly<Record<string, string>>} Ranges versions that a package takes of others, by their names
 * @typedef {{ dependencies?: Ranges, optionalDependencies?: Ranges, peerDependencies?: Ranges,
 *   peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>, hasInstallScript?: boolean }} Locked
 * @typedef {ReadonlyMap<string, Locked>} Installed by their folders, such as node_modules/koa
 * @typedef {{ name: string, version: string, license?: string, scripts?: Ranges }} Manifest
 */

/**
 * @param {string} root of the repository
 * @returns {Installed}
 */
export function readInstalled(root) {
  const text = readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = /** @type {{ packages: Record<string, Locked> }} */ (JSON.parse(text));
  return new Map(Object.entries(packages));
}

/**
 * The folders of these packages and of all that they need, each once.
 * @param {Installed} installed
 * @param {readonly string[]} names as the repository's own code imports them
 */
export function closureOf(installed, names) {
  const found = new Set(names.map((name) => `node_modules/${name}`));
  for (const folder of found) {
    for (const name of neededBy(installed.get(folder) ?? {})) {
      const at = folderOf(installed, name, folder);
      if (at !== undefined) found.add(at);
    }
  }
  return [...found];
}

/** @param {Locked} locked */
function neededBy({ dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/**
 * Where Node finds it; nowhere where an optional one is not for this platform.
 * @param {Installed} installed
 * @param {string} name
 * @param {string} from folder of who imports it
 * @returns {string | undefined}
 */
function folderOf(installed, name, from) {
  const own = `${from}/node_modules/${name}`;
  if (installed.has(own)) return own;
  const above = from.lastIndexOf('/node_modules/');
  if (above >= 0) return folderOf(installed, name, from.slice(0, above));
  return installed.has(`node_modules/${name}`) ? `node_modules/${name}` : undefined;
}

/**
 * @param {string} folder
 * @returns {Manifest}
 */
export function readManifest(folder) {
  return /** @type {Manifest} */ (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
}

/**
 * Names of the scripts that npm would run while it installs the package in this folder.
 * @param {string} folder
 * @param {Locked | undefined} locked
 */
export function installScriptsOf(folder, locked) {
  const { scripts = {} } = readManifest(folder);
  const named = INSTALL_SCRIPTS.filter((name) => name in scripts);
  // With a binding.gyp, npm compiles without having been asked.
  return named.length === 0 && locked?.hasInstallScript === true ? ['node-gyp'] : named;
}

/**
 * Bytes of its files, without the packages that are installed inside it.
 * @param {string} folder
 * @returns {number}
 */
export function bytesOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return bytesOf(path);
      return entry.isFile() ? statSync(path).size : 0;
    })
    .reduce((sum, bytes) => sum + bytes, 0);
}
