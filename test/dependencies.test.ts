/** docs/dependencies.md says what is true of the packages that an installation of Botbell brings along. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXTERNAL } from '../scripts/external.mjs';
import { closureOf, installScriptsOf, readInstalled, readManifest } from '../scripts/installed-packages.mjs';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');

/** Whoever gets the package may use, change and sell it; none of these asks for more than that its text stays with it. */
const ALLOWED_LICENCES = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '(MIT OR CC0-1.0)',
]);

interface Row {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly newest: string;
  readonly scripts: string;
  readonly size: string;
  readonly isInBuild: string;
  readonly reason: string;
}

/** @returns the rows of the table, as they are written */
function rows(): Row[] {
  const lines = PAGE.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) => {
    const [what = '', licence = '', newest = '', scripts = '', size = '', isInBuild = '', reason = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    const [, name = '', version = ''] = /^`(.+)` (\S+)$/.exec(what) ?? [];
    return { name, version, licence, newest, scripts, size, isInBuild, reason };
  });
}

describe('The page of dependencies', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const installed = readInstalled(ROOT);
  const names = Object.keys(dependencies);
  const folderOf = (name: string) => join(ROOT, 'node_modules', name);

  it('has a row for each production dependency, of the version in use, and for nothing else', () => {
    const named = Object.fromEntries(rows().map(({ name, version }) => [name, version]));
    expect(named).to.deep.equal(dependencies);
    expect(rows()).to.have.length(names.length);
  });

  it('says of each why it is there, how large it is, and how old its newest release', () => {
    for (const { name, reason, size, newest } of rows()) {
      expect(reason, name).to.match(/^.{8,}/);
      expect(size, name).to.match(/^[\d.]+ [kM]B(, \d+ more)?$/);
      expect(newest, name).to.match(/^\d+\.\d+\.\d+, \d{4}-\d\d-\d\d \(\d+ days\)/);
    }
  });

  it('says the licence that each has', () => {
    for (const { name, licence } of rows()) {
      expect(licence, name).to.equal(readManifest(folderOf(name)).license);
    }
  });

  it('needs no licence but those that ask for nothing, with all that the packages need', () => {
    const all = closureOf(installed, names).map((folder) => readManifest(join(ROOT, folder)));
    expect(all.length).to.be.above(names.length);
    const others = all.filter(({ license = 'none' }) => !ALLOWED_LICENCES.has(license));
    expect(others.map(({ name, license }) => `${name}: ${license}`)).to.deep.equal([]);
    expect(PAGE).to.include(`${all.length} are installed`);
  });

  it('names every install script that may run', () => {
    const scripts = closureOf(installed, names).flatMap((folder) =>
      installScriptsOf(join(ROOT, folder), installed.get(folder)).map(
        (script) => `\`${script}\` of ${readManifest(join(ROOT, folder)).name}`,
      ),
    );
    const named = rows().flatMap(({ scripts: text }) => (text === 'none' ? [] : text.split(', ')));
    expect([...new Set(named)].toSorted()).to.deep.equal(scripts.toSorted());
  });

  it('says which of them are in the build', () => {
    expect(names).to.include.members(EXTERNAL);
    const outside = rows().filter(({ isInBuild }) => isInBuild === 'no');
    expect(outside.map(({ name }) => name)).to.deep.equal(EXTERNAL);
  });

  it('says what is known of vulnerabilities, and when it was asked', () => {
    expect(PAGE).to.match(/^## Known vulnerabilities\n\n.*`npm audit --omit=dev`/m);
    expect(PAGE).to.match(/^## Known vulnerabilities\n\n.* on \d{4}-\d\d-\d\d/m);
  });
});
