/**
 * `npm run simulate -- --seeds 1000 [--from 1] [--stop]`; `--minutes 60 --from today` tries seeds that no other day has;
 * `--shrink` tells the story of what fails. `--seed 17 [--shrink]` tells one seed's story.
 */
import { parseArgs } from 'node:util';
import { scenarioOf } from './draw.ts';
import { DAY } from './scenario.ts';
import { runScenario, shrunk } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    shrink: { type: 'boolean', default: false },
    stop: { type: 'boolean', default: false },
  },
});

/** Seeds of one day: more than an hour can try. */
const SEEDS_A_DAY = 100_000;

/** The most stories of one search: further ones would say the same. */
const MOST_STORIES = 3;

function firstSeed(): number {
  const today = Math.floor(Date.now() / DAY);
  return values.from === 'today' ? today * SEEDS_A_DAY : Number(values.from);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Leaves out all but the last of several `time passes` in a row. */
function isWorthTelling(line: string, place: number, trace: readonly string[]): boolean {
  const passes = (said = '') => said.endsWith('time passes');
  return !(passes(line) && passes(trace[place + 1]));
}

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

async function search(): Promise<boolean> {
  const began = performance.now();
  const from = firstSeed();
  const lastsMs = Number(values.minutes ?? Infinity) * 60_000;
  const most = values.minutes === undefined ? Number(values.seeds) : Infinity;
  let [failed, virtualMs, count] = [0, 0, 0];
  while (count < most && performance.now() < began + lastsMs && !(values.stop && failed > 0)) {
    const seed = from + count;
    const { broken, virtualMs: lasted } = await runScenario(scenarioOf(seed));
    count += 1;
    virtualMs += lasted;
    if (broken.length === 0) continue;
    failed += 1;
    print(`seed ${seed}: ${broken.slice(0, 3).join(' | ')}`);
    if (values.shrink && failed <= MOST_STORIES) await tell(seed, true);
  }
  const speed = (60_000 * count) / (performance.now() - began);
  const hours = virtualMs / 3.6e6;
  print(
    `${count} seeds from ${from}, ${failed} failed, ${speed.toFixed(0)} a minute, ${hours.toFixed(1)} virtual hours`,
  );
  return failed === 0;
}

const isGood = values.seed === undefined ? await search() : await tell(Number(values.seed), values.shrink);
process.exitCode = isGood ? 0 : 1;
