/** Runs a scenario to its end and judges it. */
import { judge } from './model/judge.ts';
import type { Scenario } from './scenario.ts';
import { World } from './world.ts';

/** @returns the story and, as `broken`, the sentences of the contract that did not hold: `told once: p0.1 sends …` */
export async function runScenario(scenario: Scenario, isTracing = false) {
  const world = new World(scenario, isTracing);
  try {
    await world.run();
    const { trace, observed, timeline } = world;
    return { broken: judge(scenario, observed, timeline.now), trace, virtualMs: timeline.now };
  } finally {
    await world.end();
  }
}
