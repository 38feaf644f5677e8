/** Each package that an installation of Botbell brings along has a licence that asks for little. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const LOCK = join(import.meta.dirname, '../node_modules/.package-lock.json');

/** Whoever gets the package may use, change and sell it; none of these asks for more than that its text stays with it. */
const ALLOWED_LICENCES = new Set(
  'MIT, MIT-0, ISC, 0BSD, BSD-2-Clause, BSD-3-Clause, Apache-2.0, (MIT OR CC0-1.0)'.split(', '),
);

describe('The dependencies', () => {
  it('need no licence but those that ask for nothing, with all that they need themselves', () => {
    const { packages } = JSON.parse(readFileSync(LOCK, 'utf8')) as {
      packages: Readonly<Record<string, { readonly dev?: boolean; readonly license?: string }>>;
    };
    const installed = Object.entries(packages).filter(([, { dev }]) => dev !== true);
    expect(installed.map(([name]) => name)).to.include('node_modules/koa');
    const others = installed.filter(([, { license = 'none' }]) => !ALLOWED_LICENCES.has(license));
    expect(others.map(([name, { license }]) => `${name}: ${license}`)).to.deep.equal([]);
  });
});
