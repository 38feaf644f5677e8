/** Each promise in docs/guarantees.md names its proof, and there is no proof without a promise. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const ROOT = join(import.meta.dirname, '..');
const PROOFS = 'test/e2e/proofs';

const GUARANTEES = readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8');

function namedTests(text: string): string[] {
  return [...text.matchAll(/`(?<path>test\/[\w/.-]+\.ts)`/g)].map(({ groups }) => groups?.['path'] ?? '');
}

describe('The guarantees', () => {
  it('have a test in every line', () => {
    const [promises = ''] = GUARANTEES.split('\n## What is not promised');
    const rows = promises.split('\n').filter((line) => line.startsWith('- '));
    expect(rows.length).to.be.above(10);
    expect(rows.filter((row) => namedTests(row).length === 0)).to.deep.equal([]);
  });

  it('name every proof', () => {
    const proofs = readdirSync(join(ROOT, PROOFS)).map((name) => `${PROOFS}/${name}`);
    expect(proofs.filter((path) => !namedTests(GUARANTEES).includes(path))).to.deep.equal([]);
  });
});
