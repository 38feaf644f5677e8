/**
 * Posts hostile callbacks to the built program, with a heap of 256 MB, and looks at all that must hold meanwhile:
 * `npm run fuzz -- --minutes 60 [--seed 7]`; `--only 12,13` does these attacks of that seed alone.
 */
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { runRound } from './fuzz/round.ts';
import type { Mode } from './fuzz/target.ts';

/** Attacks on one life of the program. */
const ROUND = 500;

const MODES: readonly Mode[] = ['delivered', 'accepted'];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    /** Attacks by their indexes, with commas. */
    only: { type: 'string' },
  },
});

const seed = Number(values.seed);
const end = Date.now() + Number(values.minutes) * 60_000;
const only = values.only?.split(',').map(Number);

/** Of each kind of finding, which attacks show it. */
const found = new Map<string, number[]>();

function report(what: string, index: number): void {
  const kind = what.replaceAll(/\d+/g, '#').slice(0, 60);
  const indexes = found.get(kind) ?? [];
  if (indexes.length < 5) console.log(`FOUND ${what} --only ${index}`);
  found.set(kind, [...indexes, index]);
}

setPriority(10);
console.log(`seed ${seed}`);
let attacks = 0;
for (let round = 0; only === undefined ? Date.now() < end : round < 1; round += 1) {
  const indexes = only ?? Array.from({ length: ROUND }, (_, index) => round * ROUND + index);
  const mode = MODES[round % MODES.length] as Mode;
  attacks += await runRound({ seed, mode, indexes, until: only ? Infinity : end, report });
  console.log(`${attacks} attacks, ${found.size} kinds of findings`);
}
for (const [kind, indexes] of found)
  console.log(`- ${indexes.length}x ${kind} --only ${indexes.slice(0, 8).join()}`);
process.exitCode = found.size === 0 ? 0 : 1;
