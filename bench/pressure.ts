/** `npm run pressure`: the built program where remotes refuse, hang or lag behind, and what that costs whom. */
import { availableParallelism, loadavg } from 'node:os';
import { describeMachine } from './machine.ts';
import { readOrExit } from './options.ts';
import { type Figure, figureTable } from './pressure/figures.ts';
import { Laboratory } from './pressure/laboratory.ts';
import { readOptions, USAGE } from './pressure/options.ts';
import { type ScenarioName, SCENARIOS } from './pressure/scenarios.ts';
import type { Setup } from './pressure/setup.ts';

interface Outcome {
  readonly scenario: ScenarioName;
  readonly setup: Setup;
  /** Of the last minute, by the number of cores: above 1, others took part. */
  readonly load: number;
  readonly figures: readonly Figure[];
}

async function measure(laboratory: Laboratory, scenario: ScenarioName): Promise<Outcome> {
  const { setup } = laboratory;
  try {
    const figures = await SCENARIOS[scenario](laboratory);
    return { scenario, setup, load: (loadavg()[0] ?? 0) / availableParallelism(), figures };
  } finally {
    await laboratory.clear();
  }
}

function print(outcome: Outcome): void {
  const { figures } = outcome;
  console.log(isJson ? JSON.stringify(outcome) : `${titleOf(outcome)}\n\n${figureTable(figures)}\n`);
}

function titleOf({ scenario, setup, load }: Outcome): string {
  const { store, replicas, mode, isQuick, rateLimit, bots } = setup;
  const { burst, retryAfter, workspacePerMinute } = rateLimit;
  return [
    `### ${scenario}: ${store}, ${replicas === 1 ? '1 replica' : `${replicas} replicas`}, ${mode}${isQuick ? ', quick' : ''}`,
    [
      `Slack: burst ${burst}, Retry-After ${retryAfter}`,
      ...(workspacePerMinute === undefined ? [] : [`${workspacePerMinute} a minute in all`]),
      `BOTs: ${bots}`,
      `load of the machine: ${load.toFixed(1)}`,
    ].join('; '),
  ].join('\n\n');
}

const { setup, scenarios, isJson } = readOrExit(readOptions, USAGE);
if (!isJson) console.log(`Measured on: ${describeMachine()}.\n`);
const laboratory = await Laboratory.start(setup);
try {
  for (const scenario of scenarios) {
    console.error(`${scenario} …`);
    await measure(laboratory, scenario).then(print, (error: unknown) => {
      // The others may still be worth their time.
      console.error(`${scenario} failed:`, error);
      process.exitCode = 1;
    });
  }
} finally {
  await laboratory.close();
}
