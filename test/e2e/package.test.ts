/** The package as npm packs it, installed in a folder of its own as on a machine that has nothing but Node and npm. */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { serve } from '../support/process.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

/** All that may be in it; sources, tests, benchmarks and documents are not. */
const CONTENTS = [
  /^(package\.json|LICENSE|README(\.ja)?\.md)$/,
  /^dist\/(main\.js|[\w-]+\.js|[\w-]+\.json|botbell\.cdx\.json|THIRD-PARTY-LICENSES\.txt|assets\/app\.(css|js))$/,
  /^templates\/(en|ja)\/card\/\w+\.yaml$/,
  /^config\/(botbell\.(demo|example)\.yaml|botbell\.schema\.json|samples\/(ja\/)?\w+\.json)$/,
  /^config\/starter\/(en|ja)\/(botbell\.yaml|env\.example|templates\/README\.md|templates\/short\/card\/\w+\.yaml)$/,
];

/** What nobody misses who only serves. */
const NEEDED = ['dist/assets/app.css', 'dist/assets/app.js', 'dist/THIRD-PARTY-LICENSES.txt', 'LICENSE'];

/** What npm and the tests around this one set would reach the programs that are tried. */
const VARIABLES = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_|BOTBELL_)/.test(name)),
);

type Packed = Readonly<{ filename: string; integrity: string; files: readonly { path: string }[] }>;

const run = (cwd: string, command: string, ...args: readonly string[]) =>
  spawnSync(command, args, { cwd, env: VARIABLES, encoding: 'utf8', timeout: 120_000 });

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
}

/**
 * A project that has the package and, of all that it needs, the versions of this repository: npm's cache has them since
 * `npm ci`, and what others release has no part in this test.
 */
function writeProject(folder: string, tarball: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const { '': own, ...others } = packages;
  const needed = Object.entries(others).filter(([, { dev }]) => dev !== true);
  const root = { dependencies: { botbell: `file:${tarball}` } };
  const installed = { ...own, devDependencies: undefined, resolved: `file:${tarball}` };
  const all = { '': root, 'node_modules/botbell': installed, ...Object.fromEntries(needed) };
  const lock = { lockfileVersion: 3, requires: true, packages: all };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

/** From the cache; what that lacks, from the registry. */
function install(folder: string): void {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  if (run(folder, 'npm', ...args, '--offline').status === 0) return;
  const { status, stderr } = run(folder, 'npm', ...args, '--prefer-offline');
  if (status !== 0) throw new Error(`the package could not be installed:\n${stderr}`);
}

/** @returns what npm says of the package that it made of `sources` */
function pack(sources: string, destination: string, ...options: readonly string[]): Packed {
  const args = ['pack', '--json', '--pack-destination', destination, ...options];
  const { stdout, stderr } = run(sources, 'npm', ...args);
  const answer = JSON.parse(stdout || '[]') as readonly Packed[] | Readonly<Record<string, Packed>>;
  const [packed] = Object.values(answer) as readonly Packed[];
  if (packed === undefined) throw new Error(`npm packed nothing:\n${stderr}`);
  return packed;
}

describe('The package', () => {
  let folder: string;
  let packed: Packed;

  before(() => {
    folder = tempFolder();
    // Without its scripts, one of which builds: others run what is built at this moment.
    packed = pack(ROOT, folder, '--ignore-scripts');
    writeProject(folder, packed.filename);
    install(folder);
  });

  it('holds what it needs to run, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !CONTENTS.some((pattern) => pattern.test(path)))).to.deep.equal([]);
    expect(paths).to.include.members(NEEDED);
    expect(new Set(paths.flatMap((path) => /^templates\/\w+/.exec(path)?.[0] ?? [])).size).to.equal(2);
  });

  it('brings along no package but those that cannot be in its bundle', () => {
    const lock = readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8');
    const installed = Object.keys((JSON.parse(lock) as Lock).packages);
    const expected = ['@photostructure/sqlite', 'botbell', 'node-addon-api', 'node-gyp-build', 're2js'];
    expect(installed).to.deep.equal(expected.map((name) => `node_modules/${name}`));
  });

  it('is the same to the byte wherever and whenever it is built from the same sources', () => {
    const elsewhere = join(tempFolder(), 'a clone');
    const left = new Set(['.git', 'dist', 'coverage', 'data']);
    for (const name of readdirSync(ROOT).filter((each) => !left.has(each)))
      cpSync(join(ROOT, name), join(elsewhere, name), { recursive: true, verbatimSymlinks: true });
    expect(pack(elsewhere, elsewhere).integrity).to.equal(packed.integrity);
  }).timeout(120_000);

  it('serves what init wrote, by the commands that it names, answers a callback with 200, and reads its variables from .env', async () => {
    const { status, stdout: printed } = run(folder, 'npx', 'botbell', 'init', 'new');
    expect(status).to.equal(0);
    const place = join(folder, 'new');
    const [, enter = '', check = ''] = /\n {2}(cd .*)\n.*\n {2}(.* check)\n/.exec(printed) ?? [];
    const checked = run(folder, 'sh', '-c', `${enter} && ${check}`);
    expect([checked.status, checked.stdout]).to.deep.equal([0, 'botbell.yaml: ok\n']);
    const config = join(place, 'botbell.yaml');
    // As it is, but at ports that nobody has.
    writeFileSync(config, readFileSync(config, 'utf8').replaceAll(/(127\.0\.0\.1):808\d/g, '$1:0'));
    const main = join(folder, 'node_modules/.bin/botbell');
    const service = await serve('botbell.yaml', {}, { main, cwd: place });
    try {
      const [, send = ''] = /\n {2}(.* send .*)\n/.exec(printed) ?? [];
      const sent = run(place, 'sh', '-c', `${send} --url ${service.callbacksUrl}`);
      expect(sent.status, sent.stderr).to.equal(0);
      expect(sent.stdout).to.include('"result":"delivered"');
    } finally {
      service.kill('SIGTERM');
    }
    expect(await service.exited()).to.equal(0);
    expect(service.stdout()).to.include('outbox (slack): #bot-alerts');
    const [, withVariables = ''] = /\n {2}(\(set -a.*)\n/.exec(printed) ?? [];
    writeFileSync(join(place, '.env'), "CALLBACK_TOKEN='to & short'\n");
    const { stdout } = run(place, 'sh', '-c', withVariables.replace('serve', 'check'));
    expect(stdout).to.include('receiver.token');
  });

  it('opens none of its code to importers, but its schema', () => {
    const project = createRequire(join(folder, 'package.json'));
    for (const inside of ['botbell', 'botbell/dist/main.js', 'botbell/src/main.ts']) {
      expect(() => project.resolve(inside), inside)
        .to.throw()
        .with.property('code', 'ERR_PACKAGE_PATH_NOT_EXPORTED');
    }
    const schema = readFileSync(project.resolve('botbell/schema.json'), 'utf8');
    expect(JSON.parse(schema)).to.have.property('title', 'Botbell config');
  });
});
