/** The command line of `npm run pressure -- …`. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isScenario, SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';
import { MODES, type Setup, STORES } from './setup.ts';

export const USAGE = `npm run pressure -- --scenario=all|${SCENARIO_NAMES.join('|')}[,…]
  [--store=${STORES.join('|')}] [--replicas=1|2] [--mode=${MODES.join('|')}] [--quick] [--json]
  [--dist=FOLDER]    another build than this one's
  [--burst=N]        messages that a Slack channel takes at once (2)
  [--retry-after=S]  what Slack answers whoever sends faster (1)
  [--workspace=N]    messages a minute in all channels together (no limit)
  [--bots=N]         BOTs that the errors of \`burst\` and \`ten\` come from (1)`;

export interface Options {
  readonly setup: Setup;
  readonly scenarios: readonly ScenarioName[];
  readonly isJson: boolean;
}

/** @throws {Error} what cannot be understood, with the choices */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string' },
      store: { type: 'string', default: 'sqlite' },
      replicas: { type: 'string', default: '1' },
      mode: { type: 'string', default: 'delivered' },
      dist: { type: 'string', default: resolve(import.meta.dirname, '../../dist') },
      burst: { type: 'string', default: '2' },
      'retry-after': { type: 'string', default: '1' },
      workspace: { type: 'string' },
      bots: { type: 'string', default: '1' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const replicas = choice('replicas', values.replicas, ['1', '2'] as const) === '2' ? 2 : 1;
  const store = choice('store', values.store, STORES);
  if (store === 'sqlite' && replicas === 2) throw new Error('--replicas=2 needs --store=postgres');
  const rateLimit = {
    burst: positive('burst', values.burst),
    retryAfter: positive('retry-after', values['retry-after']),
    ...(values.workspace === undefined
      ? {}
      : { workspacePerMinute: positive('workspace', values.workspace) }),
  };
  const setup: Setup = {
    store,
    replicas,
    mode: choice('mode', values.mode, MODES),
    dist: resolve(values.dist),
    isQuick: values.quick,
    rateLimit,
    bots: positive('bots', values.bots),
  };
  return { setup, scenarios: scenariosIn(values.scenario), isJson: values.json };
}

function scenariosIn(text: string | undefined): readonly ScenarioName[] {
  if (text === undefined) throw new Error('--scenario is missing');
  return text === 'all' ? SCENARIO_NAMES : text.split(',').map(asScenario);
}

function asScenario(text: string): ScenarioName {
  if (!isScenario(text)) throw new Error(`--scenario=${text}: it takes all, ${SCENARIO_NAMES.join(', ')}`);
  return text;
}

function choice<Choice extends string>(option: string, text: string, choices: readonly Choice[]): Choice {
  const found = choices.find((each) => each === text);
  if (found === undefined) throw new Error(`--${option}=${text}: it takes ${choices.join(', ')}`);
  return found;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${option}=${text}: it takes a whole number`);
  return value;
}
