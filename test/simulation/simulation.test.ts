/** Runs a small part of the search at each change; `npm run simulate` runs more of it. */
import { expect } from 'chai';
import { scenarioOf } from './draw.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Planted, PLANTED } from './planted/faults.ts';
import { runScenario } from './shrink.ts';

/** As many as one core runs in fifteen seconds. */
const SEEDS = 40;

const AT_ONCE = 10;

const REPLAYED = [3, 17];

describe('In a simulated world', () => {
  for (let first = 1; first <= SEEDS; first += AT_ONCE)
    it(`all that the contract promises holds, with the seeds from ${first} to ${first + AT_ONCE - 1}`, async () => {
      for (let seed = first; seed < first + AT_ONCE; seed += 1) {
        const { broken } = await runScenario(scenarioOf(seed));
        expect(broken, `\`npm run simulate -- --seed ${seed} --shrink\` tells its story`).to.deep.equal([]);
      }
    });

  it('each planted fault has its place in the product, once', () => {
    const root = join(import.meta.dirname, '../..');
    const places = ({ file, from }: Planted) => readFileSync(join(root, file), 'utf8').split(from).length - 1;
    expect(PLANTED.filter((each) => places(each) !== 1)).to.deep.equal([]);
  });

  it('the same happens again, byte for byte, with the same seed', async () => {
    for (const seed of REPLAYED) {
      const { trace } = await runScenario(scenarioOf(seed), true);
      expect(trace).to.have.length.above(20);
      expect((await runScenario(scenarioOf(seed), true)).trace.join('\n')).to.equal(trace.join('\n'));
    }
  });
});
