/** Runs a scenario to its end and judges it, and shrinks one to what its failure needs. */
import { judge } from './model/judge.ts';
import type { Scenario } from './scenario.ts';
import { lived } from './world.ts';

/** @returns the story and, as `broken`, the sentences of the contract that did not hold: `told once: p0.1 sends …` */
export async function runScenario(scenario: Scenario, isTracing = false) {
  const { trace, observed, now } = await lived(scenario, isTracing);
  return { broken: judge(scenario, observed, now), trace, virtualMs: now };
}

/** Tried in this order: what goes first makes all later runs cheaper. */
const LISTS = ['faults', 'sends', 'acts'] as const;

/** The name of the broken sentence, without the message and time that it is about. */
export function sentenceOf(broken: string): string {
  return broken.split(':', 1)[0] ?? '';
}

/** @returns the scenario with halves, then single events left out, as long as the same sentence breaks */
export async function shrunk(scenario: Scenario, broken: string): Promise<Scenario> {
  const sentence = sentenceOf(broken);
  const isBrokenBy = async (candidate: Scenario) =>
    (await runScenario(candidate)).broken.some((each) => sentenceOf(each) === sentence);
  let best = scenario;
  for (const list of LISTS)
    for (const share of [0.5, 0]) best = await withoutParts(best, list, share, isBrokenBy);
  for (const list of LISTS) best = await withoutParts(best, list, 0, isBrokenBy);
  return best;
}

/** @param share the part of the list that is left out at once; 0: one event */
async function withoutParts(
  scenario: Scenario,
  list: (typeof LISTS)[number],
  share: number,
  isBrokenBy: (candidate: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  let best = scenario;
  let size = Math.max(1, Math.floor(scenario[list].length * share));
  for (let end = best[list].length; end > 0; end -= size) {
    const from = Math.max(0, end - size);
    const candidate = { ...best, [list]: best[list].filter((_, place) => place < from || place >= end) };
    if (candidate[list].length < best[list].length && (await isBrokenBy(candidate))) best = candidate;
    size = Math.max(1, Math.min(size, from));
  }
  return best;
}
