/**
 * Posts hostile callbacks to the built program, with a heap of 256 MB, and looks at all that must hold meanwhile:
 * `npm run fuzz -- --minutes 60 [--seed 7]`; `--path 130` does that attack of the seed alone.
 */
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { attack } from './fuzz/attacks.ts';
import { startTarget } from './fuzz/target.ts';

/** Attacks on one life of the program. */
const ROUND = 300;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    path: { type: 'string', default: '' },
  },
});
const { path } = values;
const end = Date.now() + Number(values.minutes) * 60_000;

/** @throws {Error} what does not hold, and how to see it again */
async function runRound(seed: number): Promise<void> {
  const target = await startTarget(seed % 2 === 0 ? 'delivered' : 'accepted');
  try {
    const attacked = fc.asyncProperty(attack, (each) => target.bear(each));
    const found = await fc.check(attacked, { seed, path, numRuns: ROUND, endOnFailure: true });
    if (found.failed) {
      const again = `--seed ${seed} --path ${found.counterexamplePath}`;
      throw new Error(again, { cause: found.errorInstance });
    }
    await target.settle();
    console.log(`seed ${seed}: ${found.numRuns} attacks`);
  } finally {
    await target.close();
  }
}

setPriority(10);
for (let seed = Number(values.seed); Date.now() < end; seed += 1) {
  await runRound(seed);
  if (path !== '') break;
}
