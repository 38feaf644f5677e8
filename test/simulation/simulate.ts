/** `npm run simulate -- --seeds 1000 [--from 1] [--stop] [--stats] [--twice]`; `--seed 17 [--shrink]` tells one seed's story. */
import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { scenarioOf } from './draw.ts';
import { type Ended, runScenario } from './run-scenario.ts';
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

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Tells the story of a seed, shrunk to what its failure needs. */
async function tell(seed: number, isShrinking: boolean): Promise<boolean> {
  let scenario = scenarioOf(seed);
  const [first] = isShrinking ? (await runScenario(scenario)).broken : [];
  if (first !== undefined) scenario = await shrunk(scenario, first);
  const { trace, broken } = await runScenario(scenario, true);
  const { sends, ...plan } = scenario;
  print(JSON.stringify({ ...plan, sends: sends.length }, undefined, 1));
  print([...trace, ...broken].join('\n'));
  return broken.length === 0;
}

function isSame(one: Ended, other: Ended): boolean {
  const digestOf = ({ trace, broken }: Ended) => hash('sha256', [...trace, ...broken].join('\n'));
  return digestOf(one) === digestOf(other);
}

async function search(): Promise<boolean> {
  const began = performance.now();
  const from = Number(values.from);
  const until = values.minutes === undefined ? Infinity : began + Number(values.minutes) * 60_000;
  const most = values.minutes === undefined ? Number(values.seeds) : Infinity;
  const tally: Tally = new Map();
  let [failed, virtualMs, seed] = [0, 0, from];
  for (; seed < from + most && performance.now() < until; seed += 1) {
    const one = await runScenario(scenarioOf(seed), values.twice);
    virtualMs += one.virtualMs;
    if (values.stats) addTo(tally, one.observed);
    const isAlike = !values.twice || isSame(one, await runScenario(scenarioOf(seed), true));
    if (one.broken.length === 0 && isAlike) continue;
    failed += 1;
    print(`seed ${seed}: ${isAlike ? one.broken.slice(0, 3).join(' | ') : 'runs differently each time'}`);
    if (values.stop) break;
  }
  if (values.stats) print(shown(tally));
  const seconds = (performance.now() - began) / 1000;
  const count = Math.min(seed, from + most - 1) - from + 1;
  const [speed, hours] = [(60 * count) / seconds, virtualMs / 3.6e6];
  print(
    `${count} seeds from ${from}, ${failed} failed, ${speed.toFixed(0)} a minute, ${hours.toFixed(1)} virtual hours`,
  );
  return failed === 0;
}

const isGood = values.seed === undefined ? await search() : await tell(Number(values.seed), values.shrink);
process.exitCode = isGood ? 0 : 1;
