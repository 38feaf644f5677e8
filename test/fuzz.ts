/**
 * Attacks the built program, with a heap of 256 MB, for as long as it is given, and looks at all that must hold meanwhile:
 * `npm run fuzz -- --minutes 60 [--seed 7]`; `--only 12,13` does these attacks of that seed alone.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism, setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { Findings } from './fuzz/findings.ts';
import { type Counts, noCounts, runRound } from './fuzz/round.ts';
import type { Mode } from './fuzz/target.ts';

/** Attacks on one life of the program. */
const ROUND = 1000;

const MODES: readonly Mode[] = ['delivered', 'accepted'];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    /** Attacks by their indexes, with commas. */
    only: { type: 'string' },
    /** The first attack. */
    from: { type: 'string', default: '0' },
  },
});

const seed = Number(values.seed);
const only = values.only?.split(',').map(Number);
const end = Date.now() + Number(values.minutes) * 60_000;

/** Gives way to whoever works on this machine, and keeps to one core: the children get both from here. */
function giveWay(): void {
  setPriority(10);
  spawnSync('taskset', ['-cp', String(availableParallelism() - 1), String(process.pid)]);
}

function roundOf(index: number): number {
  return Math.floor(index / ROUND);
}

function lineOf(counts: Counts, findings: Findings): string {
  const statuses = [...counts.statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}:${count}`);
  const { attacks, connections, honest, honestTold, honestRetries, health, messages, mails } = counts;
  return [
    `${attacks} attacks on ${connections} connections (${statuses.join(' ')})`,
    `${honestTold} honest callbacks told, ${honest} judged (${honestRetries} retries, slowest ${counts.slowestHonestMs.toFixed(0)} ms)`,
    `${health} health checks (slowest ${counts.slowestHealthMs.toFixed(0)} ms)`,
    `${messages} messages, ${mails} mails`,
    `RSS ${(counts.peakRss / 2 ** 20).toFixed(0)} MiB`,
    `${findings.count} findings`,
  ].join('; ');
}

/** Hands out each attack once, life by life of the program, until the time is over. */
class Queue {
  readonly #waiting = only?.toReversed();
  #next = Number(values.from);

  /** Undefined: no more. */
  peek(): number | undefined {
    if (this.#waiting !== undefined) return this.#waiting.at(-1);
    return Date.now() < end ? this.#next : undefined;
  }

  /** Undefined: no more of that round. */
  takeOf(round: number): number | undefined {
    const index = this.peek();
    if (index === undefined || roundOf(index) !== round) return undefined;
    this.#waiting?.pop();
    this.#next += 1;
    return index;
  }
}

giveWay();
const counts = noCounts();
const print = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
const findings = new Findings(print);
const minutely = setInterval(() => print(lineOf(counts, findings)), 60_000);
const queue = new Queue();
print(`seed ${seed}`);
for (let index = queue.peek(); index !== undefined; index = queue.peek()) {
  const round = roundOf(index);
  const mode = MODES[round % MODES.length] as Mode;
  await runRound({
    seed,
    mode,
    nextIndex: () => queue.takeOf(round),
    findings,
    counts,
    onAttack: only && print,
  });
}
clearInterval(minutely);
print(`seed ${seed}: ${lineOf(counts, findings)}`);
for (const line of findings.lines()) console.log(`- ${line}`);
process.exitCode = findings.count === 0 ? 0 : 1;
