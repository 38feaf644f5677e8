/** Runs a scenario to its end and judges it. */
import { judge } from './model/judge.ts';
import type { Scenario } from './scenario.ts';
import { World } from './world.ts';

export interface Ended {
  /** Sentences of the contract that did not hold, such as `told/twice: slack:#a was told job-1/2 twice`. */
  readonly broken: readonly string[];
  readonly trace: readonly string[];
  readonly virtualMs: number;
}

export async function runScenario(scenario: Scenario, isTracing = false): Promise<Ended> {
  const world = new World(scenario, isTracing);
  try {
    await world.run();
    const { trace, observed, timeline } = world;
    const broken = judge(scenario, observed, timeline.now);
    return { broken, trace, virtualMs: timeline.now };
  } finally {
    await world.end();
  }
}
