/** The packages that an installation of Botbell brings along: each has a reason, and a licence that asks for little. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** Whoever gets the package may use, change and sell it; none of these asks for more than that its text stays with it. */
const ALLOWED_LICENCES = new Set(
  'MIT, MIT-0, ISC, 0BSD, BSD-2-Clause, BSD-3-Clause, Apache-2.0, (MIT OR CC0-1.0)'.split(', '),
);

describe('The dependencies', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly dev?: boolean; readonly license?: string }>>;
  };
  const installed = Object.entries(packages).filter(([, { dev }]) => dev !== true);

  it('have each its reason in docs/architecture.md, and no other has one there', () => {
    const [, section = ''] = PAGE.split('\n## Dependencies\n');
    const named = [...section.matchAll(/^\| `([^`]+)` +\| .{8,}/gm)].map(([, name = '']) => name);
    expect(named).to.deep.equal(Object.keys(dependencies));
  });

  it('need no licence but those that ask for nothing, with all that they need themselves', () => {
    expect(installed.length).to.be.above(Object.keys(dependencies).length);
    const others = installed.filter(([, { license = 'none' }]) => !ALLOWED_LICENCES.has(license));
    expect(others.map(([name, { license }]) => `${name}: ${license}`)).to.deep.equal([]);
  });
});
