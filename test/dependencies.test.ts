/** Each package that an installation of Botbell brings along has a licence that asks for little. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const BILL = join(import.meta.dirname, '../dist/botbell.cdx.json');

/** Whoever gets the package may use, change and sell it; none of these asks for more than that its text stays with it. */
const ALLOWED_LICENCES = new Set(
  'MIT, MIT-0, ISC, 0BSD, BSD-2-Clause, BSD-3-Clause, Apache-2.0, (MIT OR CC0-1.0)'.split(', '),
);

describe('The dependencies', () => {
  it('need no licence but those that ask for nothing, with all that they need themselves', () => {
    const { components } = JSON.parse(readFileSync(BILL, 'utf8')) as {
      components: readonly { readonly name: string; readonly licenses: readonly { expression: string }[] }[];
    };
    expect(components.map(({ name }) => name)).to.include.members(['koa', 're2js']);
    const licences = components.flatMap(({ name, licenses }) =>
      licenses.map(({ expression }) => [name, expression]),
    );
    expect(licences).to.have.length(components.length);
    expect(licences.filter(([, licence = '']) => !ALLOWED_LICENCES.has(licence))).to.deep.equal([]);
  });
});
