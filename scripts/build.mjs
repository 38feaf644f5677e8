// Bundles the program, with the packages that every start needs, into few files: each file that a start has to find, read
// and link costs time and memory.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, transform } from 'esbuild';

process.chdir(join(import.meta.dirname, '..'));

/** Bundled CommonJS modules call `require` at run time, for Node's modules and for the JSON tables beside the code. */
const REQUIRE =
  "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);";

/** @typedef {{ name: string, version: string, license: string, dependencies: Record<string, string> }} Manifest */

/** @param {string} path @returns {Manifest} */
const manifestAt = (path) => /** @type {Manifest} */ (JSON.parse(readFileSync(path, 'utf8')));

/**
 * Of the packages in the bundle, and of those that npm installs beside it, in CycloneDX's form: without it, no scanner would find
 * what is in the bundle. It says no time, so that the same sources make the same package.
 * @param {string[]} bundled folders of packages
 */
function billOf(bundled) {
  const lock = /** @type {{ packages: Record<string, { version: string, license: string, dev?: true }> }} */ (
    JSON.parse(readFileSync('package-lock.json', 'utf8'))
  );
  const shipped = Object.entries(lock.packages).filter(
    ([path, { dev }]) => dev !== true || bundled.includes(path),
  );
  const [own, ...components] = shipped.map(([path, { version, license }]) => {
    const name =
      path === '' ? manifest.name : path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return {
      type: path === '' ? 'application' : 'library',
      'bom-ref': `${purl}#${path}`,
      name,
      version,
      purl,
      licenses: [{ expression: license }],
    };
  });
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component: own }, components };
}

/** @param {string} folder of a package */
function licenceOf(folder) {
  const { name, version, license } = manifestAt(join(folder, 'package.json'));
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

const manifest = manifestAt('package.json');

/** @satisfies {import('esbuild').BuildOptions} */
const OPTIONS = {
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  // Prefer ES modules: each use of a name imported from a CommonJS module calls a getter.
  mainFields: ['module', 'main'],
  target: 'node20.19',
  // What npm installs beside the bundle; `pg` looks for its other half, which nobody needs.
  external: [...Object.keys(manifest.dependencies), 'pg-native'],
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
const paths = [...Object.keys(inputs), ...assetInputs];
const bundled = [
  ...new Set(paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [])),
].toSorted();
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', bundled.map(licenceOf).join(`\n${'-'.repeat(80)}\n\n`));
writeFileSync('dist/botbell.cdx.json', `${JSON.stringify(billOf(bundled), null, 2)}\n`);
