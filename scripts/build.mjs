// Bundles the program, with the packages that every start needs, into few files: each file that a start has to find, read
// and link costs time and memory.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, transform } from 'esbuild';
import { EXTERNAL } from './external.mjs';

process.chdir(join(import.meta.dirname, '..'));

/** Bundled CommonJS modules call `require` at run time, for Node's modules and for the JSON tables beside the code. */
const REQUIRE =
  "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);";

/**
 * The licence texts of all packages in the build.
 * @param {string[]} inputs paths of the files that were bundled
 */
function licencesOf(inputs) {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)]
    .toSorted()
    .map(licenceOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** @typedef {{ name: string, version: string, license: string }} Manifest */

/** @param {string} folder of a package */
function licenceOf(folder) {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license } = /** @type {Manifest} */ (JSON.parse(manifest));
  const files = readdirSync(folder);
  const licences = files.filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  // Some packages have their licence in the readme only.
  const found = licences.length > 0 ? licences : files.filter((file) => /^readme/i.test(file));
  const texts = found.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts, ''].join('\n\n');
}

/**
 * Removes the comments that esbuild leaves inside classes: a single character in them outside Latin-1 makes V8 hold the
 * whole file in two bytes a character.
 * @param {string} code
 */
async function withoutComments(code) {
  const bare = await transform(code, { minifyWhitespace: true });
  return (await transform(bare.code)).code;
}

/** @satisfies {import('esbuild').BuildOptions} */
const OPTIONS = {
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  // Prefer ES modules: each use of a name imported from a CommonJS module calls a getter.
  mainFields: ['module', 'main'],
  target: 'node20.19',
  external: EXTERNAL,
  // Node parses JSON faster than code, and most tables are never read.
  loader: { '.json': 'copy' },
  banner: { js: REQUIRE },
  legalComments: 'none',
  metafile: true,
  write: false,
};

const main = await build({
  ...OPTIONS,
  entryPoints: ['src/main.ts'],
  // Modules that a command imports dynamically become files of their own.
  splitting: true,
});
// Built separately: sharing code with the program would give a start more and smaller files to find.
const thread = await build({ ...OPTIONS, entryPoints: ['src/ledger/sqlite/keeper-thread.ts'] });
/** The page's files: one stylesheet and one script. */
const assets = await build({
  outdir: 'dist/assets',
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome123', 'firefox120', 'safari17.5'],
  legalComments: 'none',
  metafile: true,
  write: false,
  entryPoints: [
    { in: 'src/admin/page/style.css', out: 'app' },
    { in: 'src/admin/page/live.ts', out: 'app' },
  ],
});
const programs = [thread, main];
const outputFiles = programs.flatMap((program) => program.outputFiles);
/** @type {typeof main.metafile.inputs} */
const inputs = Object.fromEntries(programs.flatMap((program) => Object.entries(program.metafile.inputs)));
const assetInputs = Object.keys(assets.metafile.inputs);

const files = await Promise.all(
  outputFiles.map(async ({ path, text }) => ({
    path,
    text: path.endsWith('.js') ? await withoutComments(text) : text,
  })),
);

/** A module that is both imported and required would be in the bundle, and run, twice. */
for (const [path, { imports }] of Object.entries(inputs)) {
  const split = imports.find(({ kind, path: to }) => kind === 'require-call' && inputs[to]?.format === 'esm');
  if (split !== undefined) throw new Error(`${path} requires ${split.path}, which is an ES module`);
}

/** Written last, since a build counts as done when this file exists. */
const isMain = (/** @type {{ path: string }} */ { path }) => path.endsWith('main.js');

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist/assets', { recursive: true });
for (const { path, text } of assets.outputFiles) writeFileSync(path, text);
for (const { path, text } of files.toSorted((a, b) => Number(isMain(a)) - Number(isMain(b)))) {
  writeFileSync(path, text);
}
chmodSync('dist/main.js', 0o755);
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licencesOf([...Object.keys(inputs), ...assetInputs]));
