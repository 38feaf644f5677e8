/** The scenarios by their names. */
import { backlog, behind, drain } from './backlog.ts';
import { burst, ten, workspace } from './burst.ts';
import { dead } from './dead.ts';
import { disk } from './disk.ts';
import type { Figure } from './figures.ts';
import { hang } from './hang.ts';
import { job } from './job.ts';
import type { Laboratory } from './laboratory.ts';
import { second } from './second.ts';

export const SCENARIOS = {
  burst,
  ten,
  workspace,
  hang,
  backlog,
  behind,
  drain,
  dead,
  second,
  disk,
  job,
} satisfies Record<string, (laboratory: Laboratory) => Promise<Figure[]>>;

export type ScenarioName = keyof typeof SCENARIOS;

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];

export function isScenario(text: string): text is ScenarioName {
  return Object.hasOwn(SCENARIOS, text);
}
