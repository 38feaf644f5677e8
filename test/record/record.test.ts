/** The build shows for each recorded callback what it showed before Botbell's inside was written anew. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { MAIN } from '../support/process.ts';
import { compare, type Difference, type Loss } from './compare.ts';
import { record, type Recording } from './record.ts';

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

async function lossesNow(): Promise<readonly Difference[]> {
  const before = JSON.parse(read('before.json')) as Recording;
  const losses = parse(read('losses.yaml')) as readonly Loss[];
  return compare(before, await record(MAIN), losses).filter(({ missing }) => missing.length > 0);
}

describe('what comes out for the recorded callbacks', () => {
  it('still has all that was shown, but for the losses that have a reason', async function () {
    this.timeout(900_000);
    const first = await lossesNow();
    // A template that takes more than its 250 ms, on a machine that has no time for it, is replaced by a simpler one.
    const again = first.length === 0 ? [] : await lossesNow();
    const places = new Set(first.map(({ where }) => where));
    const lost = again.filter(({ where }) => places.has(where));
    expect(lost.map(({ where, missing, added }) => ({ where, missing, added }))).to.deep.equal([]);
  });
});
