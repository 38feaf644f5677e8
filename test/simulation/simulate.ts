/**
 * `npm run simulate -- --seeds 1000 [--from 1] [--stop] [--stats] [--twice]`, `--minutes 60 --from today` for seeds that no other day has;
 * with `--shrink` the story of what fails. `--seed 17 [--shrink]` tells one seed's story.
 */
import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { scenarioOf } from './draw.ts';
import { type Ended, runScenario } from './run-scenario.ts';
import { DAY } from './scenario.ts';
import { shrunk } from './shrink.ts';
import { addTo, shown, type Tally } from './stats.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    twice: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    stop: { type: 'boolean', default: false },
    stats: { type: 'boolean', default: false },
  },
});

/** Seeds of one day: more than an hour takes. */
const SEEDS_A_DAY = 100_000;

/** Stories that are told of one search: more of them say the same again. */
const MOST_STORIES = 3;

function firstSeed(): number {
  const today = Math.floor(Date.now() / DAY);
  return values.from === 'today' ? today * SEEDS_A_DAY : Number(values.from);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Of a time in which nothing happened, its end. */
function isWorthTelling(line: string, place: number, trace: readonly string[]): boolean {
  const passes = (said = '') => said.endsWith('time passes');
  return !(passes(line) && passes(trace[place + 1]));
}

/** Tells the story of a seed, shrunk to what its failure needs. */
async function tell(seed: number, isShrinking: boolean): Promise<boolean> {
  let scenario = scenarioOf(seed);
  const [first] = isShrinking ? (await runScenario(scenario)).broken : [];
  if (first !== undefined) scenario = await shrunk(scenario, first);
  const { trace, broken } = await runScenario(scenario, true);
  const { sends, ...plan } = scenario;
  print(JSON.stringify({ ...plan, sends: sends.length }, undefined, 1));
  print([...trace.filter(isWorthTelling), ...broken].join('\n'));
  return broken.length === 0;
}

function isSame(one: Ended, other: Ended): boolean {
  const digestOf = ({ trace, broken }: Ended) => hash('sha256', [...trace, ...broken].join('\n'));
  return digestOf(one) === digestOf(other);
}

/** @returns `red`: what is wrong with the seed */
async function tried(seed: number, tally: Tally) {
  const one = await runScenario(scenarioOf(seed), values.twice);
  addTo(tally, one.observed);
  const isAlike = !values.twice || isSame(one, await runScenario(scenarioOf(seed), true));
  const broken = isAlike ? one.broken.slice(0, 3).join(' | ') : 'runs differently each time';
  return { virtualMs: one.virtualMs, red: broken === '' ? undefined : broken };
}

async function search(): Promise<boolean> {
  const began = performance.now();
  const from = firstSeed();
  const lastsMs = Number(values.minutes ?? Infinity) * 60_000;
  const most = values.minutes === undefined ? Number(values.seeds) : Infinity;
  const tally: Tally = new Map();
  let [failed, virtualMs, count] = [0, 0, 0];
  while (count < most && performance.now() < began + lastsMs && !(values.stop && failed > 0)) {
    const seed = from + count;
    const { red, ...one } = await tried(seed, tally);
    count += 1;
    virtualMs += one.virtualMs;
    if (red === undefined) continue;
    failed += 1;
    print(`seed ${seed}: ${red}`);
    if (values.shrink && failed <= MOST_STORIES) await tell(seed, true);
  }
  if (values.stats) print(shown(tally));
  const speed = (60_000 * count) / (performance.now() - began);
  const hours = virtualMs / 3.6e6;
  print(
    `${count} seeds from ${from}, ${failed} failed, ${speed.toFixed(0)} a minute, ${hours.toFixed(1)} virtual hours`,
  );
  return failed === 0;
}

const isGood = values.seed === undefined ? await search() : await tell(Number(values.seed), values.shrink);
process.exitCode = isGood ? 0 : 1;
